"""Longer tasks of the engine: reading a conversation again, checking what a budget costs."""

import pytest

from tests.core.engine_runner import FULL, said, user
from velox_core.engine.events import (
    CacheSettings,
    PrefillProgressed,
    RequestFailed,
    SamplingParams,
)
from velox_core.engine.task_events import (
    CheckQualityRequest,
    ConversationReRead,
    QualityChecked,
    QualityProgressed,
    RequestStopped,
    ReReadRequest,
)

SMALL = CacheSettings(budget=32, n_sink=4)
LARGE = CacheSettings(budget=1024, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=60)


def chat(runner):
    first = runner.reply(user("hello " * 30), sampling=LONG, cache=SMALL)
    return (user("hello " * 30), said(first))


def test_reread_brings_everything_back_under_a_larger_budget(runner) -> None:
    turns = chat(runner)
    event = runner.run(ReReadRequest("again", "chat", turns, LARGE))
    assert isinstance(event, ConversationReRead)
    assert event.stats.tokens_kept == event.stats.tokens_seen > 32
    progress = runner.of(PrefillProgressed)
    assert progress[-1].done == progress[-1].total == event.stats.tokens_seen
    warm = runner.reply(*turns, user("and?"), sampling=LONG, cache=LARGE)
    assert warm.stats.reused_tokens == event.stats.tokens_seen
    cold = runner.reply(*turns, user("and?"), sampling=LONG, cache=LARGE, chat="cold")
    assert warm.token_ids == cold.token_ids


def test_cancelled_reread_leaves_the_old_caches(runner) -> None:
    turns = chat(runner)
    seen = len(runner.engine._shelf.get("chat").ids)
    runner.on_event = lambda event: runner.cancel.set()
    assert isinstance(runner.run(ReReadRequest("again", "chat", turns, LARGE)), RequestStopped)
    runner.on_event = lambda event: None
    after = runner.reply(*turns, user("and?"), sampling=LONG, cache=SMALL)
    assert after.stats.reused_tokens == seen


def test_reply_can_be_had_anew_at_once_after_a_reread(runner) -> None:
    turns = chat(runner)
    runner.run(ReReadRequest("again", "chat", turns, SMALL))
    again = runner.reply(turns[0], sampling=LONG, cache=SMALL)
    assert again.stats.prefilled_tokens == 1


def test_quality_of_an_ample_budget_is_that_of_the_full_cache(runner) -> None:
    turns = chat(runner)
    event = runner.run(CheckQualityRequest("q", "chat", turns, (1024, 24), 4, 40))
    assert isinstance(event, QualityChecked)
    ample, small = event.points
    assert (ample.budget, ample.n_tokens, ample.top_agreement) == (1024, 40, 1.0)
    assert ample.mean_kl == pytest.approx(0, abs=1e-4)
    assert ample.perplexity_ratio == pytest.approx(1, abs=1e-3)
    assert small.mean_kl > ample.mean_kl
    fractions = [event.fraction for event in runner.of(QualityProgressed)]
    assert fractions == sorted(fractions)
    assert max(fractions) <= 1


def test_cancelled_quality_check_changes_nothing(runner) -> None:
    turns = chat(runner)
    runner.on_event = lambda event: runner.cancel.set()
    event = runner.run(CheckQualityRequest("q", "chat", turns, (32,), 4, 40))
    assert isinstance(event, RequestStopped)
    runner.on_event = lambda event: None
    assert runner.reply(*turns, user("x"), cache=SMALL).stats.reused_tokens > 0


@pytest.mark.parametrize(
    ("turns", "budgets"), [((user("hi"),), (4,)), ((user("long " * 20),), (4,))]
)
def test_impossible_quality_check_is_one_sentence(runner, turns, budgets) -> None:
    event = runner.run(CheckQualityRequest("q", "chat", turns, budgets, 4, 40))
    assert isinstance(event, RequestFailed)
    assert event.message.endswith(".")
    assert isinstance(runner.reply(user("x"), cache=FULL).text, str)
