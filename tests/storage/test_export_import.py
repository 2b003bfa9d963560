import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.storage import ChatStore, StorageError
from app.storage.exporting import (
    export_all_markdown,
    export_chat_markdown,
    export_json,
    file_name,
)
from app.storage.import_formats import import_file


def lines(store: ChatStore, chat_id: str) -> list[tuple]:
    return [
        (m.role, m.content, m.state, m.pinned, m.model, m.stats, m.version, m.n_versions)
        for m in store.path(chat_id)
    ]


@pytest.fixture
def chat_id(store: ChatStore) -> str:
    chat = store.create_chat("A trip: to/from", {"chat.system_prompt": "Be kind."})
    question = store.add_message(chat.id, "user", "Where to?")
    reply = store.add_message(chat.id, "assistant", "", state="partial", model="Tiny 1B")
    store.finish_message(reply.id, "# Lisbon\n\n`<b>`", (7, 8), {"decode_tps": 3.5}, "stopped")
    store.set_message_pinned(reply.id, True)
    edited = store.add_version(question.id, "And then?")
    store.add_message(chat.id, "assistant", "Porto")
    store.show_message(reply.id)
    store.set_draft(chat.id, "unsent")
    assert edited.version == 2
    return chat.id


def test_json_round_trip_keeps_all_versions(store, chat_id, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    assert export_json(store, file) == 1
    (new_id,) = import_file(store, file)
    (again_id,) = import_file(store, file)
    assert len({chat_id, new_id, again_id}) == 3
    assert lines(store, new_id) == lines(store, chat_id)
    old, new = store.chat(chat_id), store.chat(new_id)
    assert (new.title, new.draft, dict(new.settings)) == (old.title, old.draft, old.settings)
    assert (new.created_at, new.updated_at) == (old.created_at, old.updated_at)
    other = store.versions(store.path(new_id)[0].id)[1]
    store.show_message(other)
    assert [m.content for m in store.path(new_id)] == ["And then?", "Porto"]
    assert [hit.chat_id for hit in store.search("Porto")] == [again_id, new_id, chat_id]


def test_markdown_shows_the_visible_line_unchanged(store, chat_id, tmp_path: Path) -> None:
    file = tmp_path / "chat.md"
    export_chat_markdown(store, chat_id, file)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# A trip: to/from\n\n*20")
    assert text.endswith(
        "## System prompt\n\nBe kind.\n\n## You\n\nWhere to?\n\n## Tiny 1B\n\n# Lisbon\n\n`<b>`\n"
    )


def test_all_chats_go_to_files_of_their_own(store, chat_id, tmp_path: Path) -> None:
    store.create_chat("A trip: to/from")
    store.create_chat("../../etc/passwd")
    (tmp_path / "Chat.md").write_text("mine")
    store.create_chat("...")
    assert export_all_markdown(store, tmp_path) == 4
    names = sorted(path.name for path in tmp_path.glob("*.md"))
    assert names == [
        *("A trip to from 2.md", "A trip to from.md"),
        *("Chat 2.md", "Chat.md", "etc passwd.md"),
    ]
    assert (tmp_path / "Chat.md").read_text() == "mine"


@pytest.mark.parametrize("title", ["", "  ", "a" * 300, 'con/nul\\:*?"<>|', "日本 ☕", "\n.."])
def test_file_names_suit_every_system(title) -> None:
    name = file_name(title)
    assert 0 < len(name) <= 80
    assert not set(name) & set('/\\:*?"<>|\n')
    assert name.strip(" .") == name


def test_file_that_cannot_be_written_says_so(store, chat_id, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="could not be written"):
        export_json(store, tmp_path / "missing" / "chats.json")
    with pytest.raises(StorageError, match="no longer exists"):
        export_json(store, tmp_path / "chats.json", ["nope"])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example("", ["", "Only the reply says something."])
@given(st.text(max_size=60), st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_text_survives_export_and_import(store, tmp_path: Path, title, texts) -> None:
    chat = store.create_chat(title)
    for number, text in enumerate(texts):
        store.add_message(chat.id, "assistant" if number % 2 else "user", text)
    file = tmp_path / "one.json"
    export_json(store, file, [chat.id])
    json.loads(file.read_text(encoding="utf-8"))
    (new_id,) = import_file(store, file)
    assert lines(store, new_id) == lines(store, chat.id)
    assert store.chat(new_id).title == store.chat(chat.id).title
    for id_ in (chat.id, new_id):
        store.delete_chat(id_)
    store.purge_deleted()
