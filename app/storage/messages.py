"""SQL on messages. Each function takes the connection first and runs inside its transaction.

A chat's messages are a tree. ``active_id`` of a message, and of the chat for the first one, names
the version that follows; the line of these is what a person sees.
"""

import json
import sqlite3
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from app.storage.errors import UnknownItemError
from app.storage.text import clean
from app.storage.types import MessageRecord, MessageState, Role

_COLUMNS = """m.id, m.chat_id, m.parent_id, m.role, m.content, m.token_ids, m.stats, m.state,
    m.pinned, m.created_at, m.model,
    (SELECT count(*) FROM messages AS v WHERE v.chat_id = m.chat_id AND v.parent_id IS m.parent_id
        AND v.deleted_at IS NULL AND v.seq <= m.seq),
    (SELECT count(*) FROM messages AS v WHERE v.chat_id = m.chat_id AND v.parent_id IS m.parent_id
        AND v.deleted_at IS NULL)"""

_LINE = """WITH RECURSIVE line(id, depth) AS (
    SELECT active_id, 0 FROM chats WHERE id = ?
    UNION ALL
    SELECT messages.active_id, depth + 1 FROM line JOIN messages ON messages.id = line.id)"""


def path(
    connection: sqlite3.Connection, chat_id: str, limit: int = -1
) -> tuple[MessageRecord, ...]:
    """The messages that the chat shows, first to last; empty for an unknown chat.

    A ``limit`` of 0 or more ends the line early.
    """
    rows = connection.execute(
        f"""{_LINE} SELECT {_COLUMNS} FROM line JOIN messages AS m ON m.id = line.id
            WHERE m.deleted_at IS NULL ORDER BY depth LIMIT ?""",
        (chat_id, limit),
    )
    return tuple(map(_record, rows))


def all_of_chat(connection: sqlite3.Connection, chat_id: str) -> tuple[MessageRecord, ...]:
    """Every version of every message, in the order in which they were written."""
    rows = connection.execute(
        f"""SELECT {_COLUMNS} FROM messages AS m
            WHERE m.chat_id = ? AND m.deleted_at IS NULL ORDER BY m.seq""",
        (chat_id,),
    )
    return tuple(map(_record, rows))


def get(connection: sqlite3.Connection, message_id: str) -> MessageRecord:
    """One message.

    Raises:
        UnknownItemError: There is no such message, or it was deleted.
    """
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM messages AS m WHERE m.id = ? AND m.deleted_at IS NULL",
        (message_id,),
    ).fetchone()
    if row is None:
        raise UnknownItemError("This message no longer exists.")
    return _record(row)


def last_of_path(connection: sqlite3.Connection, chat_id: str) -> str | None:
    """The id of the last message shown; None for a chat without messages."""
    row = connection.execute(
        f"{_LINE} SELECT id FROM line WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1", (chat_id,)
    ).fetchone()
    return None if row is None else str(row[0])


def insert(
    connection: sqlite3.Connection,
    chat_id: str,
    parent_id: str | None,
    role: Role,
    content: str,
    *,
    token_ids: Sequence[int] = (),
    stats: Mapping[str, Any] | None = None,
    state: MessageState = "complete",
    pinned: bool = False,
    model: str = "",
    created_at: float | None = None,
) -> str:
    """Write a message after ``parent_id`` and show it there; returns its id."""
    message_id = uuid.uuid4().hex
    connection.execute(
        """INSERT INTO messages(id, chat_id, parent_id, role, content, token_ids, stats, state,
               pinned, model, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            message_id,
            chat_id,
            parent_id,
            role,
            clean(content),
            _ids_text(token_ids),
            _stats_text(stats or {}),
            state,
            pinned,
            clean(model),
            time.time() if created_at is None else created_at,
        ),
    )
    set_active(connection, chat_id, parent_id, message_id)
    return message_id


def set_active(
    connection: sqlite3.Connection, chat_id: str, parent_id: str | None, message_id: str | None
) -> None:
    """Show ``message_id`` after ``parent_id``, or at the beginning of the chat."""
    if parent_id is None:
        connection.execute("UPDATE chats SET active_id = ? WHERE id = ?", (message_id, chat_id))
    else:
        connection.execute(
            "UPDATE messages SET active_id = ? WHERE id = ?", (message_id, parent_id)
        )


def active_after(connection: sqlite3.Connection, chat_id: str, parent_id: str | None) -> str | None:
    """Which version is shown after ``parent_id``."""
    if parent_id is None:
        query, key = "SELECT active_id FROM chats WHERE id = ?", chat_id
    else:
        query, key = "SELECT active_id FROM messages WHERE id = ?", parent_id
    row = connection.execute(query, (key,)).fetchone()
    return None if row is None else row[0]


def versions(connection: sqlite3.Connection, message_id: str) -> tuple[str, ...]:
    """The ids of all versions of a message, itself included, oldest first."""
    rows = connection.execute(
        """SELECT v.id FROM messages AS m JOIN messages AS v
               ON v.chat_id = m.chat_id AND v.parent_id IS m.parent_id
           WHERE m.id = ? AND v.deleted_at IS NULL ORDER BY v.seq""",
        (message_id,),
    )
    return tuple(row[0] for row in rows)


def show(connection: sqlite3.Connection, message_id: str) -> None:
    """Make the line that the chat shows go through this message."""
    rows = connection.execute(
        """WITH RECURSIVE up(id) AS (
               SELECT ? UNION ALL
               SELECT parent_id FROM up JOIN messages USING (id) WHERE parent_id IS NOT NULL)
           SELECT id, chat_id, parent_id FROM up JOIN messages USING (id)""",
        (message_id,),
    ).fetchall()
    for id_, chat_id, parent_id in rows:
        set_active(connection, chat_id, parent_id, id_)


def write_content(
    connection: sqlite3.Connection,
    message_id: str,
    content: str,
    token_ids: Sequence[int],
    state: MessageState,
    stats: Mapping[str, Any] | None = None,
) -> bool:
    """Write the text of a reply so far; returns False when the message is gone."""
    done = connection.execute(
        "UPDATE messages SET content = ?, token_ids = ?, state = ? WHERE id = ?",
        (clean(content), _ids_text(token_ids), state, message_id),
    )
    if stats is not None:
        connection.execute(
            "UPDATE messages SET stats = ? WHERE id = ?", (_stats_text(stats), message_id)
        )
    return bool(done.rowcount)


def set_pinned(connection: sqlite3.Connection, message_id: str, pinned: bool) -> None:
    """Pin a message, or unpin it."""
    connection.execute("UPDATE messages SET pinned = ? WHERE id = ?", (pinned, message_id))


def end_interrupted(connection: sqlite3.Connection) -> int:
    """Call replies stopped that a crash left partial; returns how many."""
    return connection.execute(
        "UPDATE messages SET state = 'stopped' WHERE state = 'partial'"
    ).rowcount


def recent_prompts(connection: sqlite3.Connection, limit: int) -> tuple[str, ...]:
    """What a person wrote last, over all chats, newest first, without repetitions."""
    rows = connection.execute(
        """SELECT content FROM messages WHERE role = 'user' AND deleted_at IS NULL
               AND chat_id IN (SELECT id FROM chats WHERE deleted_at IS NULL)
           GROUP BY content ORDER BY max(seq) DESC LIMIT ?""",
        (limit,),
    )
    return tuple(row[0] for row in rows)


def _record(row: Sequence[Any]) -> MessageRecord:
    (id_, chat_id, parent_id, role, content, ids, stats, state, pinned, created, model, *counts) = (
        row
    )
    return MessageRecord(
        id=id_,
        chat_id=chat_id,
        parent_id=parent_id,
        role=role,
        content=content,
        token_ids=tuple(json.loads(ids)),
        stats=json.loads(stats),
        state=state,
        pinned=bool(pinned),
        created_at=created,
        model=model,
        version=counts[0],
        n_versions=counts[1],
    )


def _ids_text(token_ids: Sequence[int]) -> str:
    return json.dumps(list(token_ids), separators=(",", ":"))


def _stats_text(stats: Mapping[str, Any]) -> str:
    return clean(json.dumps(dict(stats)))
