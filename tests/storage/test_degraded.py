import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.storage import ChatStore
from app.storage.database import Database


def chats_and_messages(store: ChatStore) -> dict[str, list[str]]:
    return {
        chat.title: [message.content for message in store.path(chat.id)]
        for chat in store.list_chats()
    }


def fill_disk(store: ChatStore) -> None:
    """Let the file grow no more: SQLite then reports a full disk."""
    connection = store._database._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_full_disk_goes_on_in_memory_and_saves_when_there_is_room(store, database) -> None:
    told: list[str] = []
    store.on_degraded(told.append)
    chat = store.create_chat("talk")
    store.add_message(chat.id, "user", "before")
    fill_disk(store)
    store.add_message(chat.id, "assistant", "long " * 5000)
    assert "disk is full" in store.degraded
    assert told == [store.degraded]
    store.add_message(chat.id, "user", "after")
    store.create_chat("second")
    everything = chats_and_messages(store)
    assert everything["talk"] == ["before", "long " * 5000, "after"]

    assert store.save_again()
    assert store.degraded == ""
    assert told[-1] == ""
    store.close()
    again = ChatStore(database)
    again.open()
    assert chats_and_messages(again) == everything
    assert len(again.search("after")) == 1
    again.close()


def test_save_again_keeps_what_another_process_wrote(store, database) -> None:
    chat = store.create_chat("mine")
    fill_disk(store)
    store.add_message(chat.id, "user", "x" * 50_000)
    assert store.degraded
    other = ChatStore(database)
    other.open()
    theirs = other.create_chat("theirs")
    other.add_message(theirs.id, "user", "y")
    other.close()
    assert store.save_again()
    assert chats_and_messages(store) == {"theirs": ["y"], "mine": ["x" * 50_000]}


@pytest.mark.parametrize("kind", ["file in the way", "folder for a file"])
def test_place_that_cannot_be_used_goes_on_in_memory(tmp_path: Path, kind) -> None:
    path = tmp_path / "data" / "chats.db"
    if kind == "file in the way":
        path.parent.write_text("a file")
    else:
        path.mkdir(parents=True)
    store = ChatStore(path)
    store.open()
    assert "kept in memory only" in store.degraded
    chat = store.create_chat("still works")
    store.add_message(chat.id, "user", "hello")
    assert chats_and_messages(store) == {"still works": ["hello"]}
    assert not store.save_again()
    store.close()


READ_ONLY_HOME = """
import os, sys
from pathlib import Path
from app.storage import ChatStore
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
store = ChatStore(Path(sys.argv[1]))
store.open()
assert "cannot write to its folder" in store.degraded, store.degraded
assert [chat.title for chat in store.list_chats()] == ["old"], store.list_chats()
chat = store.list_chats()[0]
store.add_message(chat.id, "user", "new")
assert [message.content for message in store.path(chat.id)] == ["kept", "new"]
store.close()
"""


def test_read_only_home_shows_old_chats_and_goes_on() -> None:
    # Not below tmp_path: only its owner may enter that.
    home = Path(tempfile.mkdtemp())
    database = home / "chats.db"
    try:
        store = ChatStore(database)
        store.open()
        store.add_message(store.create_chat("old").id, "user", "kept")
        store.rename_chat(store.list_chats()[0].id, "old")
        store.close()
        before = database.read_bytes()
        database.chmod(0o444)
        home.chmod(0o555)
        # Root may write anywhere: the child gives that up.
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY_HOME, str(database)],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert database.read_bytes() == before
    finally:
        home.chmod(0o755)
        shutil.rmtree(home)


FULL_FILE_SYSTEM = """
import resource, signal, sys
from pathlib import Path
from app.storage import ChatStore
store = ChatStore(Path(sys.argv[1]))
store.open()
chat = store.create_chat("talk")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
for number in range(40):
    store.add_message(chat.id, "user", f"{number} " + "x" * 10_000)
assert "kept in memory only" in store.degraded, store.degraded
assert len(store.path(chat.id)) == 40
store.close()
"""


def test_writes_that_the_system_refuses_go_on_in_memory(database) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_FILE_SYSTEM, str(database)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    store = ChatStore(database)
    store.open()
    assert store.degraded == store.notice == ""
    (chat,) = store.list_chats()
    saved = store.path(chat.id)
    assert 0 < len(saved) < 40
    store.close()


def test_locked_database_says_so_and_is_not_left(database, store, monkeypatch) -> None:
    monkeypatch.setattr("app.storage.opening.BUSY_TIMEOUT_S", 0.05)
    quick = Database(database, lambda sentence: None)
    quick.open()
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Exception, match="Another copy of Velox is busy"):
        quick.write(lambda connection: None)
    assert quick.degraded == ""
    other.execute("ROLLBACK")
    other.close()
    quick.write(lambda connection: None)
    quick.close()
