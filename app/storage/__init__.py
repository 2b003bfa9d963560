"""Chats in SQLite. No Qt here."""

from app.storage.errors import ImportRefusedError, StorageError, UnknownItemError
from app.storage.reply_saver import ReplySaver
from app.storage.store import ChatStore
from app.storage.thread import StorageThread
from app.storage.types import (
    ChatRecord,
    ChatSummary,
    Deletion,
    MessageRecord,
    MessageState,
    Role,
    SearchHit,
)

__all__ = [
    "ChatRecord",
    "ChatStore",
    "ChatSummary",
    "Deletion",
    "ImportRefusedError",
    "MessageRecord",
    "MessageState",
    "ReplySaver",
    "Role",
    "SearchHit",
    "StorageError",
    "StorageThread",
    "UnknownItemError",
]
