import pytest

from app.storage import ChatStore, UnknownItemError


def titles(store: ChatStore) -> list[str]:
    return [chat.title for chat in store.list_chats()]


def test_list_chats_puts_pinned_first_then_newest(store: ChatStore) -> None:
    first, _second, third = (store.create_chat(title) for title in ("one", "two", "three"))
    assert titles(store) == ["three", "two", "one"]
    store.set_chat_pinned(first.id, True)
    assert titles(store) == ["one", "three", "two"]
    store.set_chat_pinned(first.id, False)
    store.add_message(first.id, "user", "newer now")
    assert titles(store) == ["one", "three", "two"]
    assert store.list_chats()[1].id == third.id


def test_preview_is_the_newest_message_on_one_line(store: ChatStore) -> None:
    chat = store.create_chat("x")
    store.add_message(chat.id, "user", "first\n\n  second\tline")
    assert store.list_chats()[0].preview == "first second line"
    store.add_message(chat.id, "assistant", "y" * 500)
    assert store.list_chats()[0].preview == "y" * 119 + "…"


@pytest.mark.parametrize(
    ("reply", "preview"),
    [
        ("", "Why?"),
        ("<think>\nLet me see " + "on and " * 100, "Let me see on and on and"),
        ("\n<think>\nHm.\n</think>\n\nBecause.", "Because."),
        ("`<think>` is a tag", "<think> is a tag"),
    ],
)
def test_preview_shows_the_answer_and_not_the_thought(
    store: ChatStore, reply: str, preview: str
) -> None:
    chat = store.create_chat("x")
    store.add_message(chat.id, "user", "Why?")
    store.add_message(chat.id, "assistant", reply, state="partial")
    assert store.list_chats()[0].preview.startswith(preview)


def test_chat_keeps_draft_and_settings(store: ChatStore, database) -> None:
    chat = store.create_chat(settings={"sampling.seed": 7})
    store.set_draft(chat.id, "half a\nthought \ud83d")
    store.set_chat_settings(chat.id, {"chat.system_prompt": "Be brief.", "sampling.seed": None})
    store.close()
    again = ChatStore(database)
    again.open()
    kept = again.chat(chat.id)
    assert kept.draft == "half a\nthought ?"
    assert kept.settings == {"chat.system_prompt": "Be brief.", "sampling.seed": None}
    again.close()


def test_title_follows_the_first_exchange_until_a_person_renames(store: ChatStore) -> None:
    chat = store.create_chat()
    store.add_message(chat.id, "user", "hi")
    assert titles(store) == ["hi"]
    reply = store.add_message(chat.id, "assistant", "", state="partial")
    store.finish_message(reply.id, "# Planning a trip\n\nWhere to?")
    assert titles(store) == ["Planning a trip"]
    store.rename_chat(chat.id, "  My\ntrip ")
    store.finish_message(reply.id, "Something else entirely.")
    assert titles(store) == ["My trip"]
    store.rename_chat(chat.id, "")
    assert titles(store) == ["Something else entirely"]


def test_deleted_chat_is_gone_until_restored(store: ChatStore) -> None:
    chat = store.create_chat("a")
    store.add_message(chat.id, "user", "findable words")
    undo = store.delete_chat(chat.id)
    assert titles(store) == []
    assert store.search("findable") == ()
    with pytest.raises(UnknownItemError, match="no longer exists"):
        store.chat(chat.id)
    with pytest.raises(UnknownItemError):
        store.add_message(chat.id, "user", "too late")
    store.restore(undo)
    assert titles(store) == ["a"]
    assert store.path(chat.id)[0].content == "findable words"


def test_purged_chat_cannot_be_restored(store: ChatStore) -> None:
    chat = store.create_chat("a")
    message = store.add_message(chat.id, "user", "text")
    undo = store.delete_chat(chat.id)
    assert store.purge_deleted(older_than_s=60) == 0
    assert store.purge_deleted() == 1
    with pytest.raises(UnknownItemError, match="for good"):
        store.restore(undo)
    store.save_partial(message.id, "a reply that comes late is ignored")
    store.finish_message(message.id, "ignored too")
