"""What the engine tells about the tokens it still holds, and pinned messages."""

import dataclasses

import pytest

from tests.core.engine_runner import said, user
from velox_core.engine.events import (
    CacheSettings,
    MemoryMeasured,
    NoticeGiven,
    ReplyFinished,
    ReplyRequest,
    SamplingParams,
    TextAdded,
    Turn,
)

BUDGET = 64
SMALL = CacheSettings(budget=BUDGET, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=100)
SECRET = Turn("user", "the code is 4711", message_id="secret")


@pytest.fixture
def runner(runner):
    runner.mailbox.watch("chat")
    return runner


def ask(runner, *turns, cache=SMALL):
    request = ReplyRequest("reply", "chat", turns, LONG, cache, reply_message_id="answer")
    event = runner.run(request)
    assert isinstance(event, ReplyFinished)
    return event


def memory_of(runner) -> dict:
    return {message.message_id: message for message in runner.of(MemoryMeasured)[-1].messages}


def test_shares_say_which_tokens_every_head_still_holds(runner) -> None:
    event = ask(runner, SECRET)
    measured = runner.of(MemoryMeasured)[-1]
    memory = memory_of(runner)
    assert measured.eviction_start == BUDGET
    assert list(memory) == ["secret", "answer"]
    conversation = runner.engine._shelf.get("chat")
    positions = [cache.positions.tolist() for cache in conversation.caches]
    for message in memory.values():
        for position, share in zip(message.positions, message.shares, strict=True):
            held = sum(position in head for layer in positions for head in layer)
            assert share == pytest.approx(held / 4)  # two layers of two KV heads
    assert sum(len(message.shares) for message in memory.values()) < event.stats.cache.tokens_seen


def test_tokens_of_prompt_and_reply_map_to_their_characters(runner) -> None:
    turns = (Turn("user", "é 🙂 x", message_id="m"),)
    event = ask(runner, *turns, cache=CacheSettings(budget=1024))
    memory = memory_of(runner)
    for name, content in (("m", "é 🙂 x"), ("answer", event.text)):
        message = memory[name]
        assert set(message.shares) == {1.0}
        covered = set()
        for start, end in zip(message.starts, message.ends, strict=True):
            covered.update(range(start, end))
        assert covered == set(range(len(content)))


def test_watching_tells_at_once_and_only_while_wanted(runner) -> None:
    ask(runner, SECRET)
    runner.events.clear()
    runner.engine.apply_live_changes()
    assert len(runner.of(MemoryMeasured)) == 1
    runner.mailbox.watch(None)
    runner.events.clear()
    runner.engine.apply_live_changes()
    assert runner.of(MemoryMeasured) == []


def test_pinned_message_is_held_whole_and_released_when_unpinned(runner) -> None:
    pinned = dataclasses.replace(SECRET, pinned=True)
    first = ask(runner, pinned)
    assert set(memory_of(runner)["secret"].shares) == {1.0}
    ask(runner, pinned, said(first), user("more " * 30))
    assert set(memory_of(runner)["secret"].shares) == {1.0}
    assert runner.of(MemoryMeasured)[-1].messages[0].message_id == "secret"
    runner.mailbox.post_pins("chat", frozenset())
    runner.engine.apply_live_changes()
    assert runner.engine._shelf.get("chat").protected == frozenset()


def test_pin_in_the_middle_of_a_reply_protects_from_then_on(runner) -> None:
    def pin(event) -> None:
        if isinstance(event, TextAdded):
            runner.mailbox.post_pins("chat", frozenset({"secret"}))

    runner.on_event = pin
    ask(runner, SECRET)
    conversation = runner.engine._shelf.get("chat")
    assert len(conversation.protected) == len(SECRET.content)


def test_pins_that_fill_the_budget_are_refused_with_the_sum(runner) -> None:
    pinned = Turn("user", "x" * 80, message_id="long", pinned=True)
    event = ask(runner, pinned)
    [notice] = runner.of(NoticeGiven)
    assert "80" in notice.message
    assert str(BUDGET) in notice.message
    assert event.stats.cache.tokens_kept <= BUDGET
    assert runner.engine._shelf.get("chat").protected == frozenset()


def test_pins_survive_reading_the_conversation_again(runner) -> None:
    pinned = dataclasses.replace(SECRET, pinned=True)
    ask(runner, Turn("system", "s"), pinned)
    ask(runner, Turn("system", "another"), pinned)
    assert set(memory_of(runner)["secret"].shares) == {1.0}
