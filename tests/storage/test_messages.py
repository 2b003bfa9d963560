import pytest

from app.storage import ChatStore, UnknownItemError
from app.storage.importing import ImportedChat, ImportedMessage


def line(store: ChatStore, chat_id: str) -> list[str]:
    return [
        f"{message.content} {message.version}/{message.n_versions}"
        for message in store.path(chat_id)
    ]


@pytest.fixture
def chat_id(store: ChatStore) -> str:
    """A chat with the line: q1, a1, q2, a2."""
    chat = store.create_chat()
    for role, text in (("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2")):
        store.add_message(chat.id, role, text)
    return chat.id


def test_edit_makes_a_branch_and_nothing_is_lost(store, chat_id) -> None:
    first = store.path(chat_id)[0]
    edited = store.add_version(first.id, "Q1 again")
    assert (edited.parent_id, edited.role) == (first.parent_id, "user")
    assert line(store, chat_id) == ["Q1 again 2/2"]
    store.add_message(chat_id, "assistant", "A1")
    assert line(store, chat_id) == ["Q1 again 2/2", "A1 1/1"]
    store.show_message(first.id)
    assert line(store, chat_id) == ["q1 1/2", "a1 1/1", "q2 1/1", "a2 1/1"]
    store.show_message(edited.id)
    assert line(store, chat_id) == ["Q1 again 2/2", "A1 1/1"]
    assert store.versions(first.id) == (first.id, edited.id)


def test_regenerated_reply_is_a_version_and_show_message_reaches_any_branch(store, chat_id) -> None:
    _q1, a1, _q2, a2 = store.path(chat_id)
    other = store.add_version(a1.id, "", state="partial", model="m")
    store.finish_message(other.id, "b1", (4, 5), {"decode_tps": 9.5}, "stopped")
    assert line(store, chat_id) == ["q1 1/1", "b1 2/2"]
    kept = store.message(other.id)
    assert (kept.token_ids, kept.stats, kept.state) == ((4, 5), {"decode_tps": 9.5}, "stopped")
    assert kept.model == "m"
    store.show_message(a2.id)
    assert line(store, chat_id) == ["q1 1/1", "a1 1/2", "q2 1/1", "a2 1/1"]


def test_reply_can_be_continued(store, chat_id) -> None:
    a2 = store.path(chat_id)[-1]
    store.save_partial(a2.id, "a2 and", (1,))
    assert store.message(a2.id).state == "partial"
    assert store.search("a2 and") != (), "a reply being written is found, too"
    store.finish_message(a2.id, "a2 and more", (1, 2))
    assert store.message(a2.id).content == "a2 and more"
    assert [hit.message_id for hit in store.search("and more")] == [a2.id]


def test_pin_is_kept_and_unknown_messages_are_refused(store, chat_id) -> None:
    message = store.path(chat_id)[0]
    store.set_message_pinned(message.id, True)
    assert [m.pinned for m in store.path(chat_id)] == [True, False, False, False]
    for call in (store.message, store.delete_message):
        with pytest.raises(UnknownItemError):
            call("nope")
    with pytest.raises(UnknownItemError):
        store.add_version("nope", "x")
    assert store.path("nope") == ()
    assert store.versions("nope") == ()


def test_deleting_the_only_version_keeps_what_follows(store, chat_id) -> None:
    before = line(store, chat_id)
    q1, a1, q2, _a2 = store.path(chat_id)
    undo_a1 = store.delete_message(a1.id)
    assert line(store, chat_id) == ["q1 1/1", "q2 1/1", "a2 1/1"]
    assert store.message(q2.id).parent_id == q1.id
    undo_q1 = store.delete_message(q1.id)
    assert line(store, chat_id) == ["q2 1/1", "a2 1/1"]
    store.restore(undo_q1)
    store.restore(undo_a1)
    assert line(store, chat_id) == before


def test_deleting_one_of_two_versions_shows_the_other(store, chat_id) -> None:
    q1, a1, *_ = store.path(chat_id)
    other = store.add_version(a1.id, "b1")
    store.add_message(chat_id, "user", "r2")
    undo = store.delete_message(other.id)
    assert line(store, chat_id) == ["q1 1/1", "a1 1/1", "q2 1/1", "a2 1/1"]
    assert len(undo.message_ids) == 2
    store.restore(undo)
    assert line(store, chat_id) == ["q1 1/1", "b1 2/2", "r2 1/1"]
    store.delete_message(a1.id)
    assert line(store, chat_id) == ["q1 1/1", "b1 1/1", "r2 1/1"]
    store.purge_deleted()
    assert line(store, chat_id) == ["q1 1/1", "b1 1/1", "r2 1/1"]
    assert store.message(q1.id).content == "q1"


def test_purged_message_cannot_be_restored(store, chat_id) -> None:
    undo = store.delete_message(store.path(chat_id)[-1].id)
    store.purge_deleted()
    with pytest.raises(UnknownItemError, match="for good"):
        store.restore(undo)
    assert line(store, chat_id) == ["q1 1/1", "a1 1/1", "q2 1/1"]


def test_long_chat_is_read_and_purged(store) -> None:
    messages = [
        ImportedMessage(
            key=str(n),
            parent_key=str(n - 1) if n else None,
            role="assistant" if n % 2 else "user",
            content=str(n),
            shown=True,
        )
        for n in range(1200)
    ]
    (chat_id,) = store.import_chats([ImportedChat("long", True, tuple(messages))])
    assert [message.content for message in store.path(chat_id)] == [str(n) for n in range(1200)]
    store.delete_chat(chat_id)
    assert store.purge_deleted() == 1
    assert store.path(chat_id) == ()


def test_recent_prompts_are_newest_first_and_once_each(store, chat_id) -> None:
    other = store.create_chat()
    for text in ("x", "q1"):
        store.add_message(other.id, "user", text)
    assert store.recent_prompts() == ("q1", "x", "q2")
    assert store.recent_prompts(limit=1) == ("q1",)
    store.delete_chat(other.id)
    assert store.recent_prompts() == ("q2", "q1")


def test_edited_message_stays_pinned_and_a_new_reply_is_not(store, chat_id) -> None:
    question = store.add_message(chat_id, "user", "one")
    reply = store.add_message(chat_id, "assistant", "two")
    for message in (question, reply):
        store.set_message_pinned(message.id, True)
    assert not store.add_version(reply.id, "", state="partial").pinned
    assert store.add_version(reply.id, "corrected").pinned
    assert store.add_version(question.id, "other").pinned
    assert [record.content for record in store.path(chat_id) if record.pinned] == ["other"]
