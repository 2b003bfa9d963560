"""Bringing what was kept in memory back into the file."""

import sqlite3

# Without seq: each database numbers the messages itself.
COLUMNS: dict[str, tuple[str, ...]] = {
    "chats": (
        *("id", "title", "title_is_auto", "pinned", "created_at", "updated_at", "deleted_at"),
        *("draft", "settings", "active_id"),
    ),
    "messages": (
        *("id", "chat_id", "parent_id", "active_id", "role", "content", "token_ids", "stats"),
        *("state", "pinned", "model", "created_at", "deleted_at"),
    ),
}


def merge(memory: sqlite3.Connection, file: sqlite3.Connection) -> None:
    """Write every chat and message of ``memory`` into ``file``; what only the file has stays.

    Runs inside a transaction on ``file``. Of a row in both, memory's is the newer one: the file
    could not be written since memory was copied from it.
    """
    for table, names in COLUMNS.items():
        columns = ", ".join(names)
        updates = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
        order = "rowid" if table == "chats" else "seq"
        file.executemany(
            f"""INSERT INTO {table}({columns}) VALUES ({", ".join("?" * len(names))})
                ON CONFLICT(id) DO UPDATE SET {updates}""",
            memory.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"),
        )
