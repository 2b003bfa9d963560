"""Deleting a message so that it can be brought back, and bringing it back."""

import sqlite3
import time

from app.storage import messages
from app.storage.errors import UnknownItemError
from app.storage.types import Deletion

_SUBTREE = """WITH RECURSIVE tree(id) AS (
    SELECT ? UNION ALL
    SELECT messages.id FROM tree JOIN messages ON messages.parent_id = tree.id
        WHERE messages.deleted_at IS NULL)
    SELECT id FROM tree"""


def delete_message(connection: sqlite3.Connection, message_id: str) -> Deletion:
    """Take a message out of the chat.

    One of several versions goes with all that followed it, and the version beside it is shown. The
    only version goes alone: what followed it stays and follows the message before it.

    Raises:
        UnknownItemError: There is no such message.
    """
    message = messages.get(connection, message_id)
    chat_id, parent_id = message.chat_id, message.parent_id
    active_id = messages.active_after(connection, chat_id, parent_id)
    siblings = messages.versions(connection, message_id)
    gone, adopted = [message_id], []
    if len(siblings) > 1:
        gone = [row[0] for row in connection.execute(_SUBTREE, (message_id,))]
        place = siblings.index(message_id)
        beside = siblings[place - 1] if place else siblings[1]
        shown = beside if active_id == message_id else active_id
    else:
        children = connection.execute(
            "SELECT id FROM messages WHERE parent_id = ? AND deleted_at IS NULL ORDER BY seq",
            (message_id,),
        )
        adopted = [row[0] for row in children]
        shown = messages.active_after(connection, chat_id, message_id)
        _set_parent(connection, adopted, parent_id)
    now = time.time()
    connection.executemany(
        "UPDATE messages SET deleted_at = ? WHERE id = ?", [(now, id_) for id_ in gone]
    )
    messages.set_active(connection, chat_id, parent_id, shown)
    return Deletion(chat_id, tuple(gone), parent_id, tuple(adopted), active_id)


def restore_message(connection: sqlite3.Connection, deletion: Deletion) -> None:
    """Bring back what :func:`delete_message` took away.

    Raises:
        UnknownItemError: It was erased for good since.
    """
    brought_back = connection.executemany(
        "UPDATE messages SET deleted_at = NULL WHERE id = ?",
        [(id_,) for id_ in deletion.message_ids],
    ).rowcount
    if brought_back < len(deletion.message_ids):
        raise UnknownItemError("This message was deleted for good and cannot be brought back.")
    _set_parent(connection, deletion.adopted_ids, deletion.message_ids[0])
    messages.set_active(connection, deletion.chat_id, deletion.parent_id, deletion.active_id)


def _set_parent(
    connection: sqlite3.Connection, ids: list[str] | tuple[str, ...], parent_id: str | None
) -> None:
    connection.executemany(
        "UPDATE messages SET parent_id = ? WHERE id = ?", [(parent_id, id_) for id_ in ids]
    )
