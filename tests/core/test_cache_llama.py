"""Bounded caches on a real tiny Llama: equal to the unbounded cache, whatever the chunking."""

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.generate import generate_step
from mlx_lm.models.cache import make_prompt_cache

from tests.core.cache_feeding import positions
from tests.tiny_model import decode, feed, tiny_llama, tokens
from velox_core import KVCacheBuilder, KVCacheConfig

METHODS = [("tova", "query"), ("tova", "key"), ("streaming_llm", "query")]


@pytest.fixture(scope="module")
def model():
    return tiny_llama()


def build(model, budget, method="tova", signal="query", n_sink=4):
    config = KVCacheConfig(
        method=method, tova_budget=budget, tova_n_sink=n_sink, tova_signal=signal
    )
    return KVCacheBuilder.for_model(model, config)


def close(a, b):
    return np.allclose(np.array(a), np.array(b), atol=2e-5)


@pytest.mark.parametrize("chunk", [1, 7, 64])
@pytest.mark.parametrize(("method", "signal"), METHODS)
def test_budget_not_below_length_gives_the_unbounded_logits(model, method, signal, chunk):
    ids = tokens(64)
    expected = feed(model, make_prompt_cache(model), ids, chunk)
    assert close(feed(model, build(model, 64, method, signal), ids, chunk), expected)


@pytest.mark.parametrize(("method", "signal"), METHODS)
def test_any_chunking_keeps_the_invariants(model, method, signal):
    ids = tokens(90)
    for chunk in (1, 2, 13, 16, 17, 89, 90):
        caches = build(model, 16, method, signal)
        feed(model, caches, ids, chunk)
        for cache in caches:
            assert (cache.offset, cache.size()) == (90, 16)
            for head in positions(cache):
                assert head[:4] == [0, 1, 2, 3]
                assert head == sorted(set(head)) and head[-1] < 90


def test_offset_is_the_true_position_across_prefill_and_decode(model):
    caches = build(model, 16)
    feed(model, caches, tokens(50), 20)
    decode(model, caches, tokens(13, 1))
    feed(model, caches, tokens(31, 2), 8)
    assert [cache.offset for cache in caches] == [94, 94]


def test_evicted_call_attends_to_exactly_what_was_kept(model):
    """A one-layer model's logits, recomputed with NumPy from the rows the cache reports."""
    model = tiny_llama(n_layers=1)
    caches = build(model, 16)
    feed(model, caches, tokens(40), 10)
    before = np.array(caches[0].positions)
    full = make_prompt_cache(model)
    feed(model, full, tokens(40), 40)
    logits = decode(model, caches, [5])
    # Layer 0's keys depend on the token alone, so the full cache holds the very same rows.
    mask = np.zeros((1, 2, 1, 41), bool)
    for head in range(2):
        mask[0, head, 0, before[head]] = True
    mask[..., 40] = True
    attention = model.model.layers[0].self_attn
    original = type(attention).__call__

    def masked(self, x, mask_=None, cache=None):
        return original(self, x, mx.array(np.repeat(mask, 2, axis=1)), cache)

    type(attention).__call__ = masked
    try:
        expected = decode(model, full, [5])
    finally:
        type(attention).__call__ = original
    assert close(logits, expected)


def test_for_model_gives_every_layer_budget_and_sinks(model):
    caches = build(model, 33, n_sink=5)
    assert [(cache.budget, cache.n_sink, cache.signal) for cache in caches] == [
        (33, 5, "query"),
        (33, 5, "query"),
    ]
    assert caches.bounded == (0, 1) and caches.unbounded == {} and caches.notices == ()


def test_for_model_ignores_caches_put_in_make_cache(model):
    """The usage in the README overrides ``make_cache``; building again must not return those."""
    first = build(model, 16)
    model.make_cache = lambda *_args, **_kwargs: first
    try:
        second = build(model, 24)
        assert make_prompt_cache(model) is first
    finally:
        del model.make_cache
    assert [cache.budget for cache in second] == [24, 24]
    assert not set(map(id, first)) & set(map(id, second))


def test_generate_step_runs_on_them_and_feeds_every_yielded_token(model):
    caches = build(model, 16)
    prompt = mx.array(tokens(40))
    generated = [
        token
        for token, _ in generate_step(
            prompt, model, prompt_cache=caches, max_tokens=30, prefill_step_size=16
        )
    ]
    assert len(generated) == 30
    assert {(cache.offset, cache.size()) for cache in caches} == {(70, 16)}


def test_greedy_replies_equal_the_unbounded_ones_when_the_budget_suffices(model):
    prompt = mx.array(tokens(40))
    bounded, full = (
        [token for token, _ in generate_step(prompt, model, prompt_cache=caches, max_tokens=24)]
        for caches in (build(model, 64), make_prompt_cache(model))
    )
    assert bounded == full
