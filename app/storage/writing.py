"""Adding to a chat: messages, versions, replies that ended, and the title that follows."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from app.storage import chats, messages
from app.storage.titles import title_from_exchange
from app.storage.types import MessageRecord, MessageState, Role


def append(
    connection: sqlite3.Connection,
    chat_id: str,
    role: Role,
    content: str,
    state: MessageState,
    model: str,
) -> MessageRecord:
    """Write a message at the end of what the chat shows."""
    chats.get(connection, chat_id)
    parent_id = messages.last_of_path(connection, chat_id)
    return _insert(connection, chat_id, parent_id, role, content, state, model)


def add_version(
    connection: sqlite3.Connection, message_id: str, content: str, state: MessageState, model: str
) -> MessageRecord:
    """Write another version of a message and show it; what was edited stays pinned.

    A reply that is generated anew, empty so far, is another text than the one that was pinned.
    """
    old = messages.get(connection, message_id)
    new = _insert(connection, old.chat_id, old.parent_id, old.role, content, state, model)
    if not old.pinned or not content:
        return new
    messages.set_pinned(connection, new.id, True)
    return messages.get(connection, new.id)


def finish(
    connection: sqlite3.Connection,
    message_id: str,
    text: str,
    token_ids: Sequence[int],
    stats: Mapping[str, Any],
    state: MessageState,
) -> None:
    """Write a reply that ended; a message that is gone is ignored."""
    messages.write_content(connection, message_id, text, token_ids, state, stats)
    row = connection.execute("SELECT chat_id FROM messages WHERE id = ?", (message_id,)).fetchone()
    if row is not None:
        make_title(connection, row[0])


def make_title(connection: sqlite3.Connection, chat_id: str) -> None:
    """Make the title from the first exchange, unless a person chose one."""
    row = connection.execute(
        "SELECT title, title_is_auto FROM chats WHERE id = ?", (chat_id,)
    ).fetchone()
    if row is None or not row[1]:
        return
    line = messages.path(connection, chat_id, limit=2)
    user = next((message.content for message in line if message.role == "user"), "")
    reply = next((message.content for message in line if message.role == "assistant"), "")
    title = title_from_exchange(user, reply)
    if title and title != row[0]:
        connection.execute("UPDATE chats SET title = ? WHERE id = ?", (title, chat_id))


def _insert(
    connection: sqlite3.Connection,
    chat_id: str,
    parent_id: str | None,
    role: Role,
    content: str,
    state: MessageState,
    model: str,
) -> MessageRecord:
    message_id = messages.insert(
        connection, chat_id, parent_id, role, content, state=state, model=model
    )
    message = messages.get(connection, message_id)
    connection.execute(
        "UPDATE chats SET updated_at = max(updated_at, ?) WHERE id = ?",
        (message.created_at, chat_id),
    )
    if content:
        make_title(connection, chat_id)
    return message
