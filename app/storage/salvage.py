"""Getting out of a damaged database what can still be read."""

import contextlib
import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

from app.storage.merging import COLUMNS

Row = dict[str, Any]

_TEXTS = ("id", "chat_id", "title", "content", "draft", "settings", "stats", "token_ids", "model")
_ROLES = ("system", "user", "assistant")
_STATES = ("complete", "partial", "stopped", "failed")

logger = logging.getLogger(__name__)


def salvage(damaged: Path, target: sqlite3.Connection) -> int:
    """Copy the chats and messages that can be read from ``damaged``, which is only read.

    A message whose chat or predecessor is lost begins a line of its own.

    Args:
        damaged: The file that was set aside.
        target: A new database; all of it is copied in one transaction, or nothing.

    Returns:
        How many chats were rescued.
    """
    uri = f"{damaged.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as source:
            messages = _readable(source, "messages", "seq")
            chats = _readable(source, "chats", "rowid")
    except sqlite3.Error as error:
        logger.warning("Nothing can be read from %s: %s", damaged, error)
        return 0
    _mend(chats, messages)
    target.execute("BEGIN IMMEDIATE")
    try:
        for table, rows in (("chats", chats), ("messages", messages)):
            for row in rows.values():
                _insert(target, table, row)
        target.execute("COMMIT")
    except sqlite3.Error as error:
        logger.warning("What was read from %s does not fit together: %s", damaged, error)
        if target.in_transaction:
            target.execute("ROLLBACK")
        return 0
    return len(chats)


def _readable(source: sqlite3.Connection, table: str, key: str) -> dict[str, Row]:
    """The rows by id that can be read from either end of a table up to the damage."""
    names = COLUMNS[table]
    ends: list[list[Row]] = []
    for order in ("ASC", "DESC"):
        rows: list[Row] = []
        query = f"SELECT {', '.join(names)} FROM {table} NOT INDEXED ORDER BY {key} {order}"
        try:
            for values in source.execute(query):
                rows.append(dict(zip(names, values, strict=True)))
        except sqlite3.Error as error:
            logger.info("Reading %s (%s) ends at: %s", table, order, error)
            ends.append(rows)
            continue
        return {row["id"]: row for row in rows if _is_sane(row)}
    first, last = ends
    return {row["id"]: row for row in (*first, *reversed(last)) if _is_sane(row)}


def _is_sane(row: Row) -> bool:
    """Whether the columns are of the types that Velox writes."""
    if not all(isinstance(row.get(name, ""), str) for name in _TEXTS):
        return False
    if row.get("role", "user") not in _ROLES or row.get("state", "partial") not in _STATES:
        return False
    try:
        for name in ("settings", "stats", "token_ids"):
            json.loads(row.get(name) or "null")
    except ValueError:
        return False
    return all(isinstance(row.get(name, 0.0), int | float) for name in ("created_at", "updated_at"))


def _mend(chats: dict[str, Row], messages: dict[str, Row]) -> None:
    """Make every reference lead somewhere; messages come in the order of their writing."""
    newest: dict[tuple[str, str | None], str] = {}
    for row in messages.values():
        chat_id, time = row["chat_id"], row["created_at"]
        if chat_id not in chats:
            chats[chat_id] = _empty_chat(chat_id, time)
        if row["parent_id"] not in messages:
            row["parent_id"] = None
        if row["deleted_at"] is None:
            newest[chat_id, row["parent_id"]] = row["id"]
    for row in messages.values():
        if row["active_id"] not in messages:
            row["active_id"] = newest.get((row["chat_id"], row["id"]))
    for chat in chats.values():
        if chat["active_id"] not in messages:
            chat["active_id"] = newest.get((chat["id"], None))


def _empty_chat(chat_id: str, time: float) -> Row:
    chat: Row = dict.fromkeys(COLUMNS["chats"])
    given = {"title": "", "title_is_auto": 1, "pinned": 0, "draft": "", "settings": "{}"}
    return chat | given | {"id": chat_id, "created_at": time, "updated_at": time}


def _insert(target: sqlite3.Connection, table: str, row: Row) -> None:
    marks = ", ".join("?" * len(row))
    target.execute(f"INSERT INTO {table}({', '.join(row)}) VALUES ({marks})", list(row.values()))
