"""SQL on chats. Each function takes the connection first and runs inside its transaction."""

import json
import sqlite3
import time
import uuid
from collections.abc import Mapping
from typing import Any

from app.storage.errors import UnknownItemError
from app.storage.text import clean, one_line, preview
from app.storage.titles import MAX_TITLE_CHARS
from app.storage.types import ChatRecord, ChatSummary

PREVIEW_CHARS = 120

_GONE = "This chat no longer exists."


def list_all(connection: sqlite3.Connection) -> tuple[ChatSummary, ...]:
    """All chats: pinned ones first, then the newest first.

    The preview comes from the newest message that has text; of a reply, the answer and not the
    thought before it.
    """
    rows = connection.execute(
        """SELECT id, title, pinned, created_at, updated_at, (
               SELECT CASE
                   WHEN role != 'assistant' OR substr(start, 1, 7) != '<think>'
                       THEN substr(content, 1, 400)
                   WHEN instr(content, '</think>') > 0
                       THEN substr(content, instr(content, '</think>') + 8, 400)
                   ELSE substr(start, 8, 400) END
               FROM (SELECT *, ltrim(substr(content, 1, 500), char(9, 10, 13, 32)) AS start
                     FROM messages
                     WHERE chat_id = chats.id AND deleted_at IS NULL AND content != '')
               ORDER BY seq DESC LIMIT 1)
           FROM chats WHERE deleted_at IS NULL ORDER BY pinned DESC, updated_at DESC, rowid DESC"""
    )
    return tuple(
        ChatSummary(id_, title, bool(pinned), created, updated, preview(text, PREVIEW_CHARS))
        for id_, title, pinned, created, updated, text in rows
    )


def create(connection: sqlite3.Connection, title: str, settings: Mapping[str, Any]) -> ChatRecord:
    """A new, empty chat."""
    now = time.time()
    title = one_line(title, MAX_TITLE_CHARS)
    chat_id = uuid.uuid4().hex
    connection.execute(
        """INSERT INTO chats(id, title, title_is_auto, created_at, updated_at, settings)
           VALUES (?, ?, ?, ?, ?, ?)""",
        (chat_id, title, not title, now, now, settings_text(settings)),
    )
    return get(connection, chat_id)


def get(connection: sqlite3.Connection, chat_id: str) -> ChatRecord:
    """One chat.

    Raises:
        UnknownItemError: There is no such chat, or it was deleted.
    """
    row = connection.execute(
        """SELECT id, title, title_is_auto, pinned, created_at, updated_at, draft, settings
           FROM chats WHERE id = ? AND deleted_at IS NULL""",
        (chat_id,),
    ).fetchone()
    if row is None:
        raise UnknownItemError(_GONE)
    id_, title, is_auto, pinned, created, updated, draft, settings = row
    return ChatRecord(
        id_, title, bool(is_auto), bool(pinned), created, updated, draft, json.loads(settings)
    )


def update(connection: sqlite3.Connection, chat_id: str, /, **columns: Any) -> None:
    """Write ``columns`` of a chat.

    Raises:
        UnknownItemError: There is no such chat, or it was deleted.
    """
    assignments = ", ".join(f"{name} = ?" for name in columns)
    done = connection.execute(
        f"UPDATE chats SET {assignments} WHERE id = ? AND deleted_at IS NULL",
        (*columns.values(), chat_id),
    )
    if not done.rowcount:
        raise UnknownItemError(_GONE)


def settings_text(settings: Mapping[str, Any]) -> str:
    """A chat's settings as they are stored."""
    return clean(json.dumps(dict(settings)))


def delete(connection: sqlite3.Connection, chat_id: str) -> None:
    """Take a chat out of sight until it is restored or purged."""
    update(connection, chat_id, deleted_at=time.time())


def restore(connection: sqlite3.Connection, chat_id: str) -> None:
    """Bring a deleted chat back.

    Raises:
        UnknownItemError: It was purged.
    """
    done = connection.execute("UPDATE chats SET deleted_at = NULL WHERE id = ?", (chat_id,))
    if not done.rowcount:
        raise UnknownItemError("This chat was deleted for good and cannot be brought back.")


def purge(connection: sqlite3.Connection, before: float) -> int:
    """Erase chats and messages that were deleted before the time ``before``; returns how many."""
    # A message that something still follows stays until that goes too.
    messages = connection.execute(
        """DELETE FROM messages WHERE deleted_at < ? AND NOT EXISTS (
               SELECT 1 FROM messages AS child
               WHERE child.parent_id = messages.id
               AND (child.deleted_at IS NULL OR child.deleted_at >= ?))""",
        (before, before),
    ).rowcount
    chats = connection.execute("DELETE FROM chats WHERE deleted_at < ?", (before,)).rowcount
    return messages + chats
