import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from app.storage import ChatStore
from app.storage.importing import ImportedChat, ImportedMessage

PAGE_NBYTES = 4096
N_CHATS, N_MESSAGES = 12, 20


def text_of(chat: int, message: int) -> str:
    return f"chat {chat} message {message} " + "words " * 60


def chat_of(number: int) -> ImportedChat:
    messages = [
        ImportedMessage(
            key=str(n),
            parent_key=str(n - 1) if n else None,
            role="assistant" if n % 2 else "user",
            content=text_of(number, n),
            shown=True,
        )
        for n in range(N_MESSAGES)
    ]
    own = {"sampling.seed": number}
    return ImportedChat(f"chat {number}", False, tuple(messages), settings=own)


@pytest.fixture
def filled(database: Path) -> Path:
    store = ChatStore(database)
    store.open()
    store.import_chats([chat_of(number) for number in range(N_CHATS)])
    store.close()
    return database


def page_with(database: Path, text: str) -> int:
    return database.read_bytes().index(text.encode()) // PAGE_NBYTES + 1


def root_page(database: Path, table: str) -> int:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(query, (table,)).fetchone()[0])


def overwrite(database: Path, page: int) -> None:
    with database.open("r+b") as file:
        file.seek((page - 1) * PAGE_NBYTES)
        file.write(os.urandom(PAGE_NBYTES))


def reopened(database: Path) -> ChatStore:
    store = ChatStore(database)
    store.open()
    return store


def rescued_texts(store: ChatStore) -> list[str]:
    return [m.content for chat in store.list_chats() for m in store.all_messages(chat.id)]


def test_damage_in_the_middle_of_messages_costs_only_what_stood_there(filled: Path) -> None:
    overwrite(filled, page_with(filled, text_of(N_CHATS // 2, N_MESSAGES // 2)))
    store = reopened(filled)
    assert f"{N_CHATS} chats were rescued" in store.notice
    texts = rescued_texts(store)
    everything = {text_of(c, n) for c in range(N_CHATS) for n in range(N_MESSAGES)}
    assert set(texts) < everything
    assert len(texts) > 0.8 * len(everything)
    first = next(chat for chat in store.list_chats() if chat.title == "chat 0")
    assert [m.content for m in store.path(first.id)] == [text_of(0, n) for n in range(N_MESSAGES)]
    assert store.chat(first.id).settings == {"sampling.seed": 0}
    assert store.search("message 7") != ()
    store.add_message(first.id, "user", "goes on")
    store.close()


def test_lost_chats_come_back_from_their_messages(filled: Path) -> None:
    overwrite(filled, page_with(filled, '"sampling.seed": 3'))
    store = reopened(filled)
    texts = rescued_texts(store)
    assert len(texts) == N_CHATS * N_MESSAGES
    assert all(len(store.path(chat.id)) == N_MESSAGES for chat in store.list_chats())
    store.close()


def test_damage_in_the_search_index_costs_nothing(filled: Path) -> None:
    overwrite(filled, root_page(filled, "message_index_data"))
    store = reopened(filled)
    assert len(rescued_texts(store)) == N_CHATS * N_MESSAGES
    assert len(store.search('"message 7 words"')) == N_CHATS
    store.close()


def test_damage_to_any_page_is_survived(filled: Path) -> None:
    sound = filled.read_bytes()
    for page in range(1, len(sound) // PAGE_NBYTES + 1, 5):
        for old in filled.parent.glob("chats*"):
            old.unlink()
        filled.write_bytes(sound)
        overwrite(filled, page)
        store = reopened(filled)
        assert store.degraded == ""
        for chat in store.list_chats():
            store.path(chat.id)
        store.add_message(store.create_chat().id, "user", "works")
        store.close()
