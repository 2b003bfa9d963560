"""Qt item models: chats, messages, models on disk."""
