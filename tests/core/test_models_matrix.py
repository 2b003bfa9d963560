"""Every kind of model under every policy and signal: real forward passes, tiny random weights."""

from functools import cache

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import make_prompt_cache

from tests.core.cache_feeding import positions
from tests.model_zoo import KINDS, WINDOW, build
from tests.tiny_model import decode, feed, tokens
from velox_core import KVCacheBuilder, KVCacheConfig
from velox_core.builder import NOTHING_TO_BOUND

METHODS = [("tova", "query"), ("tova", "key"), ("streaming_llm", "query")]
BUDGET = 12

kinds = pytest.mark.parametrize("name", KINDS)
methods = pytest.mark.parametrize(("method", "signal"), METHODS)


@cache
def model_of(name):
    return build(name)


def caches_of(name, budget, method="tova", signal="query"):
    config = KVCacheConfig(method=method, tova_budget=budget, tova_signal=signal)
    return KVCacheBuilder.for_model(model_of(name), config)


@kinds
def test_result_names_bounded_and_unbounded_layers(name):
    caches = caches_of(name, BUDGET)
    assert caches.bounded == KINDS[name].bounded
    assert caches.unbounded == KINDS[name].unbounded
    assert [type(cache) for i, cache in enumerate(caches) if i not in caches.bounded] == [
        type(cache)
        for i, cache in enumerate(make_prompt_cache(model_of(name)))
        if i not in caches.bounded
    ]
    assert all(cache.signal == "query" for cache in caches.bounded_caches)
    assert caches.notices == (() if caches.bounded else (NOTHING_TO_BOUND,))


@kinds
@methods
def test_budget_not_below_length_gives_the_native_logits(name, method, signal):
    ids, model = tokens(48), model_of(name)
    expected = feed(model, make_prompt_cache(model), ids, 11)
    logits = feed(model, caches_of(name, 48, method, signal), ids, 11)
    assert np.allclose(np.array(logits), np.array(expected), atol=2e-4)


@kinds
@methods
def test_long_prompt_and_two_turns_stay_right(name, method, signal):
    """A prompt three times the window, a reply, a second turn and its reply."""
    model, caches = model_of(name), caches_of(name, BUDGET, method, signal)
    seen = 0
    for n_prompt, chunk, n_reply in ((3 * WINDOW, 50, 9), (20, 7, 9)):
        logits = feed(model, caches, tokens(n_prompt, n_prompt), chunk)
        assert logits.shape[0] == n_prompt and np.isfinite(np.array(logits)).all()
        replies = decode(model, caches, tokens(n_reply, 5))
        assert replies.shape == (n_reply, logits.shape[1]) and np.isfinite(np.array(replies)).all()
        seen += n_prompt + n_reply
        for bounded in caches.bounded_caches:
            assert (bounded.offset, bounded.size()) == (seen, BUDGET)
            for head in positions(bounded):
                assert head[:4] == [0, 1, 2, 3] and head == sorted(set(head))


@kinds
def test_endless_is_on_wherever_the_window_is_known(name):
    for bounded in caches_of(name, BUDGET).bounded_caches:
        assert bounded.spans.window == WINDOW


@pytest.mark.parametrize("name", [n for n, kind in KINDS.items() if not kind.unbounded])
def test_moved_rows_give_the_same_logits(name):
    """Moving every kept key and the offset alike changes nothing: the rope found is the right one.

    For models whose every layer is bounded: others keep positions that would have to move too.
    """
    model, caches = model_of(name), caches_of(name, 32)
    feed(model, caches, tokens(30), 10)
    moved = caches.snapshot()
    for bounded in moved:
        keys, values = bounded._rows.in_time()
        moved_keys = bounded.rotation.moved(keys, mx.full(keys.shape[1:3], 200, mx.int32))
        bounded._take_over(moved_keys, values, bounded._order(), None)
        bounded.offset += 200
        bounded.spans.window = None  # the rows are where this test wants them
    difference = np.array(decode(model, caches, [5]) - decode(model, moved, [5]))
    assert np.abs(difference).max() < 1e-4
