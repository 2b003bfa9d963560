import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.storage import ChatStore, opening, schema


def first_schema(path: Path) -> None:
    """A database as the first version wrote it."""
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    for statement in schema.STEPS[0]:
        connection.execute(statement)
    connection.executescript(
        """
        INSERT INTO chats(id, title, created_at, updated_at, active_id)
            VALUES ('c', 'Old chat', 1, 2, 'm');
        INSERT INTO messages(id, chat_id, role, content, state, created_at)
            VALUES ('m', 'c', 'user', 'ancient words', 'complete', 1);
        PRAGMA user_version = 1;
        """
    )
    connection.close()


def opened(path: Path) -> ChatStore:
    store = ChatStore(path)
    store.open()
    return store


def test_first_schema_is_migrated_after_a_copy(database) -> None:
    first_schema(database)
    store = opened(database)
    assert store.degraded == ""
    assert [hit.message_id for hit in store.search("ancient")] == ["m"]
    assert store.path("c")[0].content == "ancient words"
    store.close()
    (copy,) = database.parent.glob("chats.v1-*.db")
    connection = sqlite3.connect(copy)
    assert schema.version_of(connection) == 1
    assert connection.execute("SELECT content FROM messages").fetchall() == [("ancient words",)]
    connection.close()


def test_failing_migration_leaves_the_file_as_it_was(database, monkeypatch) -> None:
    first_schema(database)
    broken = (schema.STEPS[0], (*schema.STEPS[1], "CREATE TABLE chats (id)"))
    monkeypatch.setattr(schema, "STEPS", broken)
    connection = opening.connect(database)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        schema.migrate(connection)
    assert schema.version_of(connection) == 1
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    assert "message_index" not in tables
    connection.close()


def test_newer_database_is_left_untouched(database) -> None:
    store = opened(database)
    store.create_chat("from the future")
    store.close()
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    before = database.read_bytes()
    store = opened(database)
    assert store.degraded.startswith("Your chats were saved by a newer version of Velox")
    assert store.list_chats() == ()
    store.create_chat("now")
    assert not store.save_again()
    assert [chat.title for chat in store.list_chats()] == ["now"]
    store.close()
    assert database.read_bytes() == before


@pytest.mark.parametrize("kind", ["garbage", "torn", "text"])
def test_damaged_database_is_set_aside_and_never_overwritten(database, kind) -> None:
    store = opened(database)
    chat = store.create_chat("x")
    for _ in range(50):
        store.add_message(chat.id, "user", "words " * 200)
    store.close()
    content = bytearray(database.read_bytes())
    if kind == "garbage":
        content[:] = os.urandom(len(content))
    elif kind == "torn":
        content[5000:] = os.urandom(len(content) - 5000)
    else:
        content[:] = b"<html>no database</html>" * 500
    for number in (1, 2):
        database.write_bytes(content)
        store = opened(database)
        assert store.degraded == ""
        assert "set aside" in store.notice
        assert "none could be read" in store.notice
        assert store.list_chats() == ()
        store.create_chat("works")
        store.close()
        asides = list(database.parent.glob("chats.damaged-*.db"))
        assert len(asides) == number
        assert all(aside.read_bytes() == content for aside in asides)


def test_empty_file_is_a_new_database(database) -> None:
    database.parent.mkdir()
    database.touch()
    store = opened(database)
    assert (store.degraded, store.notice, store.list_chats()) == ("", "", ())
    store.close()


def test_two_processes_write_one_database(database) -> None:
    script = (
        "import sys; from pathlib import Path; from app.storage import ChatStore\n"
        "store = ChatStore(Path(sys.argv[1])); store.open()\n"
        "chat = store.create_chat(sys.argv[2])\n"
        "for n in range(60): store.add_message(chat.id, 'user', str(n))\n"
        "assert not store.degraded; store.close()\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", script, str(database), name]) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    store = opened(database)
    lines = {chat.id: store.path(chat.id) for chat in store.list_chats()}
    assert [len(line) for line in lines.values()] == [60, 60]
    store.close()


def test_open_waits_for_a_process_that_has_just_made_the_file(database) -> None:
    database.parent.mkdir()
    other = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE unfinished (id)")
    other.execute("BEGIN EXCLUSIVE")
    timer = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    timer.start()
    store = opened(database)
    assert store.degraded == ""
    timer.join()
    other.close()
    store.close()
