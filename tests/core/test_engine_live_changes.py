"""Live changes reach the chat they are meant for, whatever was answered last, and no other one."""

import dataclasses

import pytest

from tests.core.engine_runner import EngineRunner, said, user
from velox_core.engine.events import (
    CacheMeasured,
    CacheSettings,
    LoadRequest,
    MemoryMeasured,
    ReplyRequest,
    SamplingParams,
    TextAdded,
    Turn,
    UnloadRequest,
)
from velox_core.engine.live_events import CacheRefused, PinsRefused
from velox_core.engine.task_events import ConversationResumed, ReReadRequest, ResumeRequest

LARGE = CacheSettings(budget=1024, n_sink=4)
SMALL = CacheSettings(budget=64, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=40)
FIRST = Turn("user", "hello " * 60, message_id="first")


def start(folder) -> EngineRunner:
    runner = EngineRunner()
    runner.run(LoadRequest("load", str(folder), resume_limit_nbytes=1 << 30))
    return runner


@pytest.fixture
def runner(folder):
    return start(folder)


def kept(runner, chat: str) -> int:
    return runner.engine._shelf.get(chat).measure().tokens_kept


def post(runner, chat: str, settings: CacheSettings) -> None:
    runner.events.clear()
    runner.mailbox.post_cache(chat, settings)
    runner.engine.apply_live_changes()


def test_budget_of_a_chat_leaves_the_one_answered_last_alone(runner) -> None:
    runner.reply(FIRST, sampling=LONG, cache=LARGE, chat="a")
    runner.reply(FIRST, sampling=LONG, cache=LARGE, chat="b")
    before = kept(runner, "b")
    post(runner, "a", SMALL)
    assert (kept(runner, "a"), kept(runner, "b")) == (64, before)
    [measured] = runner.of(CacheMeasured)
    assert (measured.chat_id, measured.stats.tokens_kept) == ("a", 64)


def test_budget_reaches_a_chat_that_was_only_read_again(runner) -> None:
    runner.run(ReReadRequest("again", "a", (FIRST,), LARGE))
    post(runner, "a", SMALL)
    assert kept(runner, "a") == 64


def test_budget_reaches_a_chat_that_was_only_resumed(runner, folder) -> None:
    first = runner.reply(FIRST, sampling=LONG, cache=LARGE, chat="a")
    runner.run(UnloadRequest("unload"))
    runner = start(folder)
    event = runner.run(ResumeRequest("resume", "a", (FIRST, said(first)), LARGE))
    assert event.stats.tokens_seen == first.stats.cache.tokens_seen
    post(runner, "a", SMALL)
    assert kept(runner, "a") == 64


def test_letters_for_another_chat_wait_while_a_reply_is_made(runner) -> None:
    runner.reply(FIRST, sampling=LONG, cache=LARGE, chat="a")

    def shrink_other(event) -> None:
        if isinstance(event, TextAdded):
            runner.mailbox.post_cache("a", SMALL)

    runner.on_event = shrink_other
    event = runner.reply(FIRST, sampling=LONG, cache=LARGE, chat="b")
    assert event.stats.cache.tokens_kept == event.stats.cache.tokens_seen
    runner.engine.apply_live_changes()
    assert kept(runner, "a") == 64


def test_resumed_chat_shows_what_it_holds(runner, folder) -> None:
    system = Turn("system", "Be brief.", message_id="system", pinned=True)
    request = ReplyRequest("reply", "a", (system, FIRST), LONG, SMALL, "answer")
    runner.mailbox.watch("a")
    first = runner.run(request)
    stayed = runner.of(MemoryMeasured)[-1]
    runner.run(UnloadRequest("unload"))
    runner = start(folder)
    runner.mailbox.watch("a")
    answer = dataclasses.replace(said(first), message_id="answer")
    event = runner.run(ResumeRequest("resume", "a", (system, FIRST, answer), SMALL))
    assert isinstance(event, ConversationResumed)
    [told] = runner.of(MemoryMeasured)
    assert told.system_prompt == "Be brief."
    assert told.messages == stayed.messages
    assert set(told.messages[0].shares) == {1.0}
    assert len(runner.engine._shelf.get("a").protected) == len("Be brief.")


def test_chat_that_differs_from_what_was_read_says_nothing_about_words(runner) -> None:
    first = runner.reply(FIRST, sampling=LONG, cache=SMALL, chat="a")
    runner.mailbox.watch("a")
    runner.run(ResumeRequest("resume", "a", (user("another"), said(first)), SMALL))
    assert runner.of(MemoryMeasured)[0].messages == ()


def test_unknown_chat_is_not_at_hand(runner) -> None:
    event = runner.run(ResumeRequest("resume", "new", (FIRST,), SMALL))
    assert (event.chat_id, event.stats) == ("new", None)
    assert runner.engine._shelf.get("new") is None


def test_read_again_under_a_larger_budget_is_what_is_saved(runner, folder) -> None:
    first = runner.reply(FIRST, sampling=LONG, cache=SMALL, chat="a")
    turns = (FIRST, said(first))
    for budget in (SMALL, LARGE):
        again = runner.run(ReReadRequest("again", "a", turns, budget))
        runner.run(UnloadRequest("unload"))
        runner = start(folder)
        resumed = runner.run(ResumeRequest("resume", "a", turns, budget))
        assert resumed.stats.tokens_kept == again.stats.tokens_kept


def test_pins_that_do_not_fit_are_refused_and_the_old_ones_stay(runner) -> None:
    pinned = Turn("user", "the code is 4711", message_id="secret", pinned=True)
    answer = runner.reply(pinned, sampling=LONG, cache=SMALL, chat="a")
    long = Turn("user", "x" * 80, message_id="long")
    runner.reply(pinned, said(answer), long, sampling=LONG, cache=SMALL, chat="a")
    before = runner.engine._shelf.get("a").protected
    runner.events.clear()
    runner.mailbox.post_pins("a", frozenset({"secret", "long"}))
    runner.engine.apply_live_changes()
    [refused] = runner.of(PinsRefused)
    assert "(96 tokens" in refused.message
    assert "100 together" in refused.message
    assert runner.engine._shelf.get("a").protected == before != frozenset()


def test_budget_below_the_pins_is_refused_and_the_old_one_stays(runner) -> None:
    pinned = Turn("user", "x" * 80, message_id="long", pinned=True)
    runner.reply(pinned, sampling=LONG, cache=CacheSettings(128, 4), chat="a")
    post(runner, "a", SMALL)
    [refused] = runner.of(CacheRefused)
    assert (refused.chat_id, refused.cache.budget) == ("a", 128)
    assert "(80 tokens" in refused.message
    assert "84 together" in refused.message


def test_kept_system_prompt_gives_way_to_a_pinned_message(runner) -> None:
    system = Turn("system", "y" * 50, message_id="system", pinned=True)
    pinned = Turn("user", "z" * 30, message_id="own", pinned=True)
    runner.mailbox.watch("a")
    runner.run(ReplyRequest("reply", "a", (system, pinned), LONG, SMALL, "answer"))
    memory = {m.message_id: m for m in runner.of(MemoryMeasured)[-1].messages}
    assert set(memory["own"].shares) == {1.0}
