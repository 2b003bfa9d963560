"""Bringing chats in from a file. Nothing in the file is trusted."""

import json
import math
import sqlite3
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.storage import chats, messages, writing
from app.storage.errors import ImportRefusedError
from app.storage.text import clean, one_line
from app.storage.titles import MAX_TITLE_CHARS
from app.storage.types import MessageState, Role

MAX_FILE_NBYTES = 512 * 1024**2
MAX_MESSAGES = 500_000
MAX_MESSAGE_CHARS = 5_000_000
_LATEST_TIME = 4_102_444_800.0  # The year 2100.


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message read from a file; ``key`` and ``parent_key`` are the file's own names."""

    key: str
    parent_key: str | None
    role: Role
    content: str
    shown: bool
    state: MessageState = "complete"
    pinned: bool = False
    created_at: float = 0.0
    model: str = ""
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """A chat read from a file. Each message stands after the one that it follows."""

    title: str
    title_is_auto: bool
    messages: tuple[ImportedMessage, ...]
    pinned: bool = False
    created_at: float = 0.0
    updated_at: float = 0.0
    draft: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


def read_json_file(path: Path) -> Any:
    """The JSON value in a file.

    Raises:
        ImportRefusedError: It cannot be read, is too large, or is no JSON.
    """
    try:
        if path.stat().st_size > MAX_FILE_NBYTES:
            raise ImportRefusedError(
                f"{path.name} is larger than {MAX_FILE_NBYTES // 1024**2} MB; "
                "split it and import the parts."
            )
        content = path.read_bytes()
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise ImportRefusedError(f"{path.name} could not be read ({reason}).") from error
    if content.startswith(b"PK\x03\x04"):
        raise ImportRefusedError(
            f"{path.name} is an archive; unpack it and import the conversations.json in it."
        )
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ImportRefusedError(f"{path.name} is not a JSON file that Velox can read.") from error


def insert_chats(
    connection: sqlite3.Connection, imported: Sequence[ImportedChat]
) -> tuple[str, ...]:
    """Write imported chats; returns their ids."""
    return tuple(insert_chat(connection, chat) for chat in imported)


def insert_chat(connection: sqlite3.Connection, chat: ImportedChat) -> str:
    """Write an imported chat, all ids new; returns the chat's id."""
    now = time.time()
    chat_id = uuid.uuid4().hex
    title = one_line(chat.title, MAX_TITLE_CHARS)
    connection.execute(
        """INSERT INTO chats(id, title, title_is_auto, pinned, created_at, updated_at, draft,
               settings) VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            chat_id,
            title,
            chat.title_is_auto or not title,
            chat.pinned,
            _time(chat.created_at, now),
            _time(chat.updated_at, now),
            clean(chat.draft),
            chats.settings_text(chat.settings),
        ),
    )
    ids: dict[str | None, str | None] = {None: None}
    shown: list[tuple[str | None, str]] = []
    for message in chat.messages:
        parent_id = ids[message.parent_key]
        ids[message.key] = message_id = messages.insert(
            connection,
            chat_id,
            parent_id,
            message.role,
            message.content,
            stats=message.stats,
            state="stopped" if message.state == "partial" else message.state,
            pinned=message.pinned,
            model=message.model,
            created_at=_time(message.created_at, now),
        )
        if message.shown:
            shown.append((parent_id, message_id))
    for parent_id, message_id in shown:
        messages.set_active(connection, chat_id, parent_id, message_id)
    if not title:
        writing.make_title(connection, chat_id)
    return chat_id


def _time(seconds: float, now: float) -> float:
    """A time that every calendar can show."""
    return seconds if math.isfinite(seconds) and 0 < seconds < _LATEST_TIME else now


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
