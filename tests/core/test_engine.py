"""The engine with a tiny random Llama: requests in, events out."""

import dataclasses

import pytest

from tests.core.engine_runner import FULL, GREEDY, EngineRunner, said, user
from tests.tiny_folder import WINDOW
from velox_core.engine.events import (
    CacheMeasured,
    CacheSettings,
    CountTokensRequest,
    LoadProgressed,
    LoadStopped,
    ModelUnloaded,
    NoticeGiven,
    PrefillProgressed,
    ReplyFinished,
    ReplyStopped,
    RequestFailed,
    SamplingParams,
    TextAdded,
    Turn,
    UnloadRequest,
)


def test_load_tells_progress_and_facts(folder) -> None:
    runner = EngineRunner()
    info = runner.load(folder).info
    fractions = [event.fraction for event in runner.of(LoadProgressed)]
    assert fractions == sorted(fractions)
    assert (info.n_layers, info.n_kv_heads, info.head_dim) == (2, 2, 8)
    assert info.bytes_per_token == 2 * 2 * 2 * 8 * 4  # K and V, layers, heads, width, float32
    assert info.context_window == WINDOW


def test_load_stops_when_cancelled(folder) -> None:
    runner = EngineRunner()
    runner.on_event = lambda event: runner.cancel.set()
    assert isinstance(runner.load(folder), LoadStopped)
    runner.on_event = lambda event: None
    assert isinstance(runner.reply(user("hi")), RequestFailed)


def test_reply_text_is_the_text_of_its_tokens(runner) -> None:
    event = runner.reply(user("hello"))
    assert isinstance(event, ReplyFinished)
    assert len(event.token_ids) == event.stats.generated_tokens == 12
    assert "".join(added.text for added in runner.of(TextAdded)) == event.text
    assert event.stats.stop_reason == "length"


def test_second_turn_reads_only_the_new_tokens(runner) -> None:
    first = runner.reply(user("hello"))
    second = runner.reply(user("hello"), said(first), user("and now?"))
    expected = first.stats.prompt_tokens + first.stats.generated_tokens
    assert second.stats.reused_tokens == expected
    assert second.stats.prefilled_tokens == second.stats.prompt_tokens - expected
    cold = runner.reply(user("hello"), said(first), user("and now?"), chat="other")
    assert cold.stats.reused_tokens == 0
    assert cold.token_ids == second.token_ids


def test_reply_again_is_the_same_and_reads_one_token(runner) -> None:
    first = runner.reply(user("hello"))
    again = runner.reply(user("hello"))
    assert again.token_ids == first.token_ids
    assert again.stats.prefilled_tokens == 1


def test_changed_message_reuses_what_is_common(runner) -> None:
    runner.reply(user("hello there"))
    changed = runner.reply(user("hello world"))
    cold = runner.reply(user("hello world"), chat="other")
    assert changed.stats.reused_tokens == len("xuser\nhello ")  # one control token
    assert changed.token_ids == cold.token_ids


def test_continued_reply_equals_one_in_one_go(runner) -> None:
    whole = runner.reply(user("hello"), sampling=SamplingParams(temperature=0, max_tokens=24))
    first = runner.reply(user("hello"), chat="other")
    rest = runner.reply(user("hello"), said(first), chat="other")
    assert rest.token_ids == whole.token_ids
    assert rest.text == whole.text
    assert rest.stats.prefilled_tokens == 0
    new = "".join(added.text for added in runner.of(TextAdded))
    assert first.text.rstrip("\ufffd") + new == whole.text


def test_seeded_replies_repeat_and_others_differ(runner) -> None:
    def ask(seed: int | None):
        sampling = SamplingParams(temperature=50, top_p=1.0, seed=seed, max_tokens=24)
        return runner.reply(user("hello"), sampling=sampling).token_ids

    assert ask(7) == ask(7)
    assert ask(7) != ask(8)
    assert ask(None) != ask(None)


def test_cancel_in_prefill_keeps_what_was_read(runner) -> None:
    text = "x" * 1000

    def stop(event) -> None:
        if isinstance(event, PrefillProgressed) and event.done >= 256:
            runner.cancel.set()

    runner.on_event = stop
    event = runner.reply(user(text))
    assert isinstance(event, ReplyStopped)
    assert event.stats is None
    runner.on_event = lambda event: None
    assert runner.reply(user(text)).stats.reused_tokens == 256


def test_cancel_in_decode_counts_every_token(runner) -> None:
    runner.on_event = lambda event: isinstance(event, TextAdded) and runner.cancel.set()
    event = runner.reply(user("hello"), sampling=SamplingParams(temperature=0, max_tokens=500))
    runner.on_event = lambda event: None
    assert event.stats.stop_reason == "cancelled"
    assert 0 < event.stats.generated_tokens < 500
    seen = event.stats.cache.tokens_seen
    assert seen == event.stats.prompt_tokens + event.stats.generated_tokens
    following = runner.reply(user("hello"), said(event), user("go on"))
    assert following.stats.reused_tokens == seen


def test_stop_string_ends_the_reply_before_it(runner) -> None:
    free = runner.reply(user("hello"))
    stop = free.text[4:6]
    cut = runner.reply(user("hello"), sampling=dataclasses.replace(GREEDY, stop=(stop,)))
    assert cut.stats.stop_reason == "stop_string"
    assert cut.text == free.text[: free.text.index(stop)]
    assert "".join(added.text for added in runner.of(TextAdded)) == cut.text


def test_full_cache_stops_at_the_window_with_a_notice(runner) -> None:
    prompt = "x" * (WINDOW - 40)
    event = runner.reply(user(prompt), sampling=SamplingParams(max_tokens=500, seed=1))
    assert event.stats.stop_reason == "length"
    assert event.stats.cache.tokens_seen <= WINDOW
    assert [f"{WINDOW:,}" in notice.message for notice in runner.of(NoticeGiven)] == [True]


@pytest.mark.parametrize(
    ("turns", "sampling", "cache"),
    [
        ((), GREEDY, FULL),
        ((user("  \n"),), GREEDY, FULL),
        ((user("x" * 200_000),), GREEDY, FULL),
        ((user("x"),), SamplingParams(temperature=-1), FULL),
        ((user("x"),), SamplingParams(max_tokens=0), FULL),
        ((user("x"),), GREEDY, CacheSettings(budget=4, n_sink=4)),
    ],
)
def test_bad_request_fails_with_one_plain_sentence(runner, turns, sampling, cache) -> None:
    first = runner.reply(user("hello"))
    event = runner.reply(*turns, sampling=sampling, cache=cache)
    assert isinstance(event, RequestFailed)
    assert event.message.endswith(".")
    assert "\n" not in event.message
    after = runner.reply(user("hello"), said(first), user("still there?"))
    assert after.stats.reused_tokens > 0


def test_unload_frees_and_the_next_reply_says_so(runner) -> None:
    runner.reply(user("hello"))
    assert isinstance(runner.run(UnloadRequest("unload")), ModelUnloaded)
    assert "choose" in runner.reply(user("hello")).message


def test_tokens_are_counted_by_the_models_tokenizer(runner) -> None:
    event = runner.run(CountTokensRequest("count", ("", "abc", "é<think>")))
    assert event.counts == (0, 3, 9)


def test_measured_cache_grows_with_the_tokens(runner) -> None:
    event = runner.reply(user("hello"))
    stats = runner.of(CacheMeasured)[-1].stats
    assert stats == event.stats.cache
    assert stats.tokens_seen == stats.tokens_kept
    assert stats.compression_ratio == 1.0
    assert stats.cache_nbytes >= stats.tokens_seen * 256


def test_reply_of_another_tokenizer_is_read_as_text(runner) -> None:
    foreign = Turn("assistant", "plain words", (1, 2, 3))
    event = runner.reply(user("hello"), foreign, user("next"))
    again = runner.reply(user("hello"), Turn("assistant", "plain words"), user("next"), chat="b")
    assert event.stats.prompt_tokens == again.stats.prompt_tokens
