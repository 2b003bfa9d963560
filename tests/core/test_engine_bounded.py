"""The engine with bounded caches: budgets hold, change in flight, and turns can be repeated."""

import pytest

from tests.core.engine_runner import FULL, GREEDY, EngineRunner, said, user
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.events import (
    CacheMeasured,
    CacheSettings,
    NoticeGiven,
    PrefillProgressed,
    ReplyFinished,
    SamplingParams,
    TextAdded,
)
from velox_core.engine.live_events import CacheRefused

SMALL = CacheSettings(budget=32, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=60)


def test_every_layer_of_the_tiny_model_is_bounded(runner, folder) -> None:
    assert runner.load(folder).info.n_bounded_layers == 2


def test_kept_never_passes_the_budget_and_seen_counts_all(runner) -> None:
    turns = []
    before = 0
    for text in ("hello " * 20, "and?", "more"):
        turns.append(user(text))
        event = runner.reply(*turns, sampling=LONG, cache=SMALL)
        turns.append(said(event))
        assert all(m.stats.tokens_kept <= 32 for m in runner.of(CacheMeasured))
        cache = event.stats.cache
        assert event.stats.reused_tokens == before
        before = cache.tokens_seen
        assert cache.tokens_seen == event.stats.prompt_tokens + event.stats.generated_tokens
        assert cache.tokens_kept == 32
        assert cache.compression_ratio == cache.tokens_seen / 32
        assert cache.full_cache_nbytes == 256 * -(-cache.tokens_seen // 256) * 256


def test_budget_above_the_conversation_replies_as_the_full_cache(runner) -> None:
    turns = (user("hello " * 20),)
    full = runner.reply(*turns, sampling=LONG, chat="full")
    large = runner.reply(*turns, sampling=LONG, cache=CacheSettings(budget=1024), chat="large")
    assert large.token_ids == full.token_ids
    full_nbytes = full.stats.cache.cache_nbytes
    assert large.stats.cache.full_cache_nbytes == full_nbytes
    assert large.stats.cache.cache_nbytes == pytest.approx(full_nbytes, rel=0.02)
    assert large.stats.cache.compression_ratio == full.stats.cache.compression_ratio == 1.0


def test_repeated_reply_is_instant_and_the_same_after_evictions(runner) -> None:
    turns = (user("hello " * 20),)
    first = runner.reply(*turns, sampling=LONG, cache=SMALL)
    again = runner.reply(*turns, sampling=LONG, cache=SMALL)
    assert again.token_ids == first.token_ids
    assert again.stats.prefilled_tokens == 1


def test_cut_reply_goes_on_without_reading_after_evictions(runner) -> None:
    turns = (user("hello " * 20),)
    whole = runner.reply(*turns, sampling=LONG, cache=SMALL, chat="whole")
    cut = SamplingParams(temperature=0, max_tokens=30)
    first = runner.reply(*turns, sampling=cut, cache=SMALL)
    rest = runner.reply(*turns, said(first), sampling=cut, cache=SMALL)
    assert rest.token_ids == whole.token_ids
    assert rest.stats.prefilled_tokens == 0


def test_edited_last_message_reads_only_itself_after_evictions(runner) -> None:
    first = runner.reply(user("hello " * 20), sampling=LONG, cache=SMALL)
    turns = (user("hello " * 20), said(first))
    runner.reply(*turns, user("and then?"), sampling=LONG, cache=SMALL)
    edited = runner.reply(*turns, user("what else?"), sampling=LONG, cache=SMALL)
    assert edited.stats.reused_tokens == first.stats.cache.tokens_seen


def test_edited_first_message_is_read_again(runner) -> None:
    first = runner.reply(user("hello " * 20), sampling=LONG, cache=SMALL)
    edited = runner.reply(user("other " * 20), sampling=LONG, cache=SMALL)
    assert first.stats.cache.tokens_seen > 32
    assert edited.stats.reused_tokens == 0
    assert runner.of(PrefillProgressed)[-1].done == edited.stats.prompt_tokens


def test_budget_shrinks_in_the_middle_of_a_reply(runner) -> None:
    def shrink(event) -> None:
        if isinstance(event, TextAdded):
            runner.mailbox.post_cache("chat", CacheSettings(budget=24, n_sink=2))

    runner.on_event = shrink
    event = runner.reply(user("hello " * 20), sampling=LONG, cache=CacheSettings(budget=1024))
    assert isinstance(event, ReplyFinished)
    assert (event.stats.cache.budget, event.stats.cache.n_sink) == (24, 2)
    assert event.stats.cache.tokens_kept == 24


def test_impossible_live_budget_is_told_and_changes_nothing(runner) -> None:
    def break_it(event) -> None:
        if isinstance(event, TextAdded):
            runner.mailbox.post_cache("chat", CacheSettings(budget=4, n_sink=4))

    runner.on_event = break_it
    event = runner.reply(user("hello"), sampling=LONG, cache=SMALL)
    assert isinstance(event, ReplyFinished)
    assert event.stats.cache.budget == 32
    refused = runner.of(CacheRefused)[0]
    assert (refused.chat_id, refused.cache) == ("chat", SMALL)


def test_budget_changes_while_nothing_runs(runner) -> None:
    runner.reply(user("hello " * 20), sampling=LONG, cache=SMALL)
    runner.mailbox.post_cache("chat", CacheSettings(budget=16, n_sink=4))
    runner.engine.apply_live_changes()
    measured = runner.events[-1]
    assert (measured.request_id, measured.stats.tokens_kept) == ("", 16)


def test_switch_to_the_full_cache_reads_everything_again(runner) -> None:
    first = runner.reply(user("hello " * 20), sampling=GREEDY, cache=SMALL)
    second = runner.reply(user("hello " * 20), said(first), user("go on"), cache=FULL)
    assert second.stats.reused_tokens == 0
    assert second.stats.cache.compression_ratio == 1.0


def test_conversation_goes_on_past_the_window_with_one_notice(tmp_path) -> None:
    runner = EngineRunner()
    config = {"max_position_embeddings": 128}
    runner.load(make_tiny_folder(tmp_path / "short", config=config))
    first = runner.reply(user("hello " * 15), sampling=LONG, cache=SMALL)
    assert first.stats.cache.tokens_seen > 128
    assert ["128" in notice.message for notice in runner.of(NoticeGiven)] == [True]
    turns = (user("hello " * 15), said(first), user("x" * 300))
    second = runner.reply(*turns, sampling=LONG, cache=SMALL)
    assert second.stats.generated_tokens == 60
    assert second.stats.cache.tokens_kept == 32
    assert runner.of(NoticeGiven) == []


def test_chats_do_not_disturb_each_other(runner) -> None:
    alone = runner.reply(user("hello"), cache=SMALL)
    runner.reply(user("other " * 30), cache=SMALL, chat="b")
    after = runner.reply(user("hello"), said(alone), user("more"), cache=SMALL)
    assert after.stats.reused_tokens == alone.stats.cache.tokens_seen
