"""Chats in SQLite. No Qt here."""
