"""The database's schema, as the steps that lead to it.

Step ``n`` turns a database of version ``n`` into one of version ``n + 1``. A step that was once
released is never changed; a new schema is a new step.
"""

import sqlite3

# No cascade along parent_id: SQLite ends at 1,000 levels, and a chat may be longer.
_FIRST = (
    """CREATE TABLE chats (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL DEFAULT '',
        title_is_auto INTEGER NOT NULL DEFAULT 1,
        pinned INTEGER NOT NULL DEFAULT 0,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        deleted_at REAL,
        draft TEXT NOT NULL DEFAULT '',
        settings TEXT NOT NULL DEFAULT '{}',
        active_id TEXT
    )""",
    # seq orders versions and outlives VACUUM, which an implicit rowid does not.
    """CREATE TABLE messages (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        chat_id TEXT NOT NULL REFERENCES chats(id) ON DELETE CASCADE,
        parent_id TEXT REFERENCES messages(id) DEFERRABLE INITIALLY DEFERRED,
        active_id TEXT,
        role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant')),
        content TEXT NOT NULL,
        token_ids TEXT NOT NULL DEFAULT '[]',
        stats TEXT NOT NULL DEFAULT '{}',
        state TEXT NOT NULL CHECK (state IN ('complete', 'partial', 'stopped', 'failed')),
        pinned INTEGER NOT NULL DEFAULT 0,
        model TEXT NOT NULL DEFAULT '',
        created_at REAL NOT NULL,
        deleted_at REAL
    )""",
    "CREATE INDEX messages_by_chat ON messages(chat_id, parent_id)",
    "CREATE INDEX messages_by_parent ON messages(parent_id)",
)

# Trigrams find words inside CJK text, which has no spaces. A reply is indexed once it has ended:
# indexing it anew with every partial save would cost more than the save.
_SEARCH = (
    """CREATE VIRTUAL TABLE message_index USING fts5(
        content, content='messages', content_rowid='seq', tokenize='trigram'
    )""",
    """INSERT INTO message_index(rowid, content)
        SELECT seq, content FROM messages WHERE state != 'partial'""",
    """CREATE TRIGGER messages_inserted AFTER INSERT ON messages WHEN new.state != 'partial' BEGIN
        INSERT INTO message_index(rowid, content) VALUES (new.seq, new.content);
    END""",
    """CREATE TRIGGER messages_deleted AFTER DELETE ON messages WHEN old.state != 'partial' BEGIN
        INSERT INTO message_index(message_index, rowid, content)
            VALUES ('delete', old.seq, old.content);
    END""",
    """CREATE TRIGGER messages_updated AFTER UPDATE OF content, state ON messages BEGIN
        INSERT INTO message_index(message_index, rowid, content)
            SELECT 'delete', old.seq, old.content WHERE old.state != 'partial';
        INSERT INTO message_index(rowid, content)
            SELECT new.seq, new.content WHERE new.state != 'partial';
    END""",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _SEARCH)
VERSION = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open database; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Take all missing steps in one transaction; on an error the database is as before."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read inside the transaction: another process may have migrated while we waited.
        for step in STEPS[version_of(connection) :]:
            for statement in step:
                connection.execute(statement)
        # Written even when nothing was missing: a read-only file says so at once.
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
