import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.storage import ChatStore, ImportRefusedError
from app.storage.import_formats import import_file, parse


def own(**changes: Any) -> dict[str, Any]:
    message = {"id": "1", "parent_id": None, "role": "user", "content": "hi", "shown": True}
    chat = {"title": "t", "messages": [message | changes.pop("message", {})]}
    return {"format": "velox-chats", "version": 1, "chats": [chat | changes]}


def node(key: str, parent: str | None, role: str = "user", text: Any = "", **message: Any):
    content = {"content_type": "text", "parts": [text]}
    body = {"author": {"role": role}, "content": content, "create_time": 1.5e9}
    return {key: {"id": key, "parent": parent, "children": [], "message": body | message}}


def imported(store: ChatStore, tmp_path: Path, document: Any) -> tuple[str, ...]:
    file = tmp_path / "in.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return import_file(store, file)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (own(title=7), "Chat 1: “title” must be a text"),
        (own(messages={}), "Chat 1: “messages” must be a list"),
        (own(pinned="yes"), "must be true or false"),
        (own(created_at="now"), "must be a number"),
        (own(settings=[]), "must be an object"),
        (own(message={"content": None}), "Message 1 of chat 1: “content” must be a text"),
        (own(message={"role": "root"}), "a role or a state"),
        (own(message={"state": "odd"}), "a role or a state"),
        (own(message={"parent_id": "9"}), "follows a message that is not before it"),
        (own(message={"parent_id": "1"}), "follows a message that is not before it"),
        (own(message={"content": "x" * 5_000_001}), "longer than 5,000,000 characters"),
        (own(messages=[3]), "is not an object"),
        (own() | {"version": 2}, "from a newer version of Velox"),
        (own() | {"chats": 1}, "“chats” must be a list"),
        ({}, "holds no chats that Velox knows"),
        ([], "holds no chats that Velox knows"),
        ("text", "holds no chats that Velox knows"),
        ([{"mapping": 4}], "“mapping” must be an object"),
    ],
)
def test_wrong_content_is_refused_with_a_sentence_and_nothing_is_imported(
    store, tmp_path, document, sentence
) -> None:
    with pytest.raises(ImportRefusedError, match=sentence):
        imported(store, tmp_path, document)
    assert store.list_chats() == ()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not a JSON file"),
        (b"\xff\xfe\x00", "not a JSON file"),
        (b'{"a": NaN}', "not a JSON file"),
        (b"[" * 100_000, "not a JSON file"),
        (b"1" * 10_000, "not a JSON file"),
        (b"PK\x03\x04rest", "is an archive; unpack it"),
    ],
)
def test_files_that_are_no_json_are_refused(store, tmp_path, content, sentence) -> None:
    file = tmp_path / "in.json"
    file.write_bytes(content)
    with pytest.raises(ImportRefusedError, match=sentence):
        import_file(store, file)
    with pytest.raises(ImportRefusedError, match="could not be read"):
        import_file(store, tmp_path / "missing.json")


def test_too_large_a_file_is_not_even_read(store, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.storage.importing.MAX_FILE_NBYTES", 1024**2)
    file = tmp_path / "in.json"
    file.write_bytes(b" " * (1024**2 + 1))
    with pytest.raises(ImportRefusedError, match="larger than 1 MB"):
        import_file(store, file)


def test_values_that_could_do_harm_are_left_out(store, tmp_path) -> None:
    document = own(
        created_at=1e300,
        updated_at=10**400,
        settings={"models.path": "/evil", "sampling.seed": 1},
        message={
            "state": "partial",
            "token_ids": [1, -5],
            "created_at": -1e308,
            "stats": {"decode_tps": 2.0, "x": "text", "cache": {"y": 1, "z": {}}},
        },
    )
    (chat_id,) = imported(store, tmp_path, document)
    chat = store.chat(chat_id)
    assert dict(chat.settings) == {"sampling.seed": 1}
    assert 1.7e9 < chat.created_at < 4.2e9
    assert 1.7e9 < chat.updated_at < 4.2e9
    (message,) = store.path(chat_id)
    assert (message.state, message.token_ids) == ("stopped", ())
    assert message.stats == {"decode_tps": 2.0, "cache": {"y": 1}}
    assert message.created_at > 1.7e9


def test_repeated_ids_get_new_ones(store, tmp_path) -> None:
    first = own()["chats"][0]["messages"][0]
    (chat_id,) = imported(store, tmp_path, own(messages=[first, first | {"content": "again"}]))
    (message,) = store.path(chat_id)
    assert (message.content, message.version, message.n_versions) == ("again", 2, 2)


def test_chatgpt_export_keeps_branches_and_leaves_out_what_nobody_sees(store, tmp_path) -> None:
    mapping = (
        {"root": {"id": "root", "parent": None, "message": None}}
        | node("sys", "root", "system", "hidden")
        | node("q1", "sys", "user", "Old question")
        | node("a1", "q1", "assistant", "Old answer")
        | node("q2", "sys", "user", "New question")
        | node("tool", "q2", "assistant", "call()", recipient="python")
        | node("out", "tool", "tool", "42")
        | node("a2", "out", "assistant", "New answer", metadata={"model_slug": "gpt-x"})
        | node("pic", "a2", "user", {"asset_pointer": "file"})
        | node("x", "y", "user", "circle")
        | node("y", "x", "user", "circle")
        | {"odd": 5}
    )
    entry = {"title": "Talk", "create_time": 1.5e9, "update_time": 1.6e9, "mapping": mapping}
    (chat_id,) = imported(store, tmp_path, [entry | {"current_node": "a1"}])
    assert [m.content for m in store.path(chat_id)] == ["Old question", "Old answer"]
    question = store.path(chat_id)[0]
    assert (question.version, question.n_versions, question.created_at) == (1, 2, 1.5e9)
    store.show_message(store.versions(question.id)[1])
    second = store.path(chat_id)
    assert [m.content for m in second] == ["New question", "New answer"]
    assert second[1].model == "gpt-x"
    assert store.chat(chat_id).updated_at == 1.6e9


KEYS = ("mapping", "parent", "message", "author", "role", "content", "parts", "metadata")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(JSON, JSON)
def test_any_json_is_imported_or_refused(value, other) -> None:
    for document in (
        value,
        [{"mapping": value}],
        [{"mapping": {"a": value, "b": other}, "current_node": "a"}],
        own(messages=[value, other]),
        own(settings=value, title=other),
        own(message={"stats": value, "created_at": other}),
    ):
        try:
            parse(document)
        except ImportRefusedError as error:
            assert str(error).endswith(".")
