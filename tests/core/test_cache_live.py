"""What may change between two calls: budget, sinks, protection; snapshots and copies."""

import copy

import mlx.core as mx
import numpy as np
import pytest

from tests.core.cache_feeding import by_key, by_query, feed, positions, rows
from tests.core.numpy_reference import softmax
from tests.tiny_model import decode, tiny_llama, tokens
from tests.tiny_model import feed as feed_model
from velox_core import CacheError, ConfigError, KVCacheBuilder, KVCacheConfig


@pytest.fixture(params=[by_key, by_query])
def cache(request):
    return request.param()


def fed(cache, n, chunk=1, seed=0):
    feed(cache, rows(n, seed=seed), rows(n, seed=seed + 1), chunk, rows(n, 4, seed=seed + 2))
    return cache


@pytest.mark.parametrize("chunk", [1, 3, 40])
@pytest.mark.parametrize("n", [7, 40])
def test_shrinking_acts_at_once_and_keeps_sinks_and_order(cache, n, chunk):
    fed(cache, n, chunk)
    before = positions(cache)
    cache.resize(4, 1)
    assert (cache.size(), cache.offset, cache.budget, cache.n_sink) == (4, n, 4, 1)
    for head, kept in zip(positions(cache), before, strict=True):
        assert head == [position for position in kept if position in set(head)]
        assert head[0] == 0
    fed(cache, 30)
    assert cache.size() == 4


def test_shrinking_goes_by_the_newest_query(cache_budget=8):
    cache = by_query(cache_budget, 1)
    keys, queries = rows(8), rows(8, 4, seed=5)
    feed(cache, keys, keys, 1, queries)
    cache.resize(3, 1)
    for head in range(2):
        shared = np.array(queries[0, head * 2 : head * 2 + 2, -1])
        held = np.array(keys[0, head])
        weights = np.mean([softmax(held @ query / np.sqrt(8)) for query in shared], axis=0)
        weights[0] = np.inf
        assert positions(cache)[head] == sorted(np.argsort(weights)[-3:].tolist())


def test_shrinking_after_evictions_equals_more_evictions_of_the_same_step():
    """The newest step's weights are kept: shrinking by one drops the next lowest."""
    shrunk = fed(by_query(8, 1), 40)
    scores = np.array(shrunk._sorted(shrunk._scores))[0, :, 0]
    before = positions(shrunk)
    shrunk.resize(7)
    for head, kept in enumerate(before):
        lowest = 1 + int(np.argmin(scores[head, 1:]))
        assert positions(shrunk)[head] == [p for i, p in enumerate(kept) if i != lowest]


def test_growing_leaves_room_but_brings_nothing_back(cache):
    fed(cache, 40)
    before = positions(cache)
    cache.resize(12)
    assert positions(cache) == before
    fed(cache, 4)
    assert positions(cache) == [[*head, 40, 41, 42, 43] for head in before]
    fed(cache, 9)
    assert (cache.size(), cache.offset) == (12, 53)
    assert all(head[:2] == [0, 1] for head in positions(cache))


def test_growing_before_any_eviction_stays_whole(cache):
    fed(cache, 8)
    cache.resize(20)
    fed(cache, 12, 5)
    assert positions(cache) == [list(range(20))] * 2
    assert cache.is_trimmable()


def test_fewer_sinks_set_the_first_positions_free(cache):
    fed(cache, 40)
    cache.resize(8, 0)
    fed(cache, 300)
    assert any(head[:2] != [0, 1] for head in positions(cache))


@pytest.mark.parametrize("chunk", [1, 7])
def test_protected_positions_stay_held_or_still_to_come(cache, chunk):
    fed(cache, 6)
    cache.protect([3, 44])
    fed(cache, 94, chunk)
    assert all({0, 1, 3, 44} <= set(head) for head in positions(cache))
    cache.unprotect([44])
    assert cache.protected == {3}
    cache.unprotect()
    fed(cache, 300, chunk)
    assert not any({3, 44} & set(head) for head in positions(cache))


def test_protecting_a_dropped_position_cannot_bring_it_back(cache):
    fed(cache, 60)
    gone = next(p for p in range(2, 60) if not any(p in head for head in positions(cache)))
    cache.protect([gone])
    fed(cache, 20)
    assert not any(gone in head for head in positions(cache))
    assert cache.size() == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.protect(range(2, 8)), "6 protected tokens and 2 sinks"),
        (lambda c: c.protect([-1]), "count from 0"),
        (lambda c: c.resize(2, 2), "tova_n_sink"),
        (lambda c: c.resize(0), "tova_budget"),
        (lambda c: (c.protect([5, 6, 7]), c.resize(5)), "do not fit below the budget of 5"),
    ],
)
def test_changes_that_leave_nothing_to_drop_are_refused_and_change_nothing(cache, change, message):
    fed(cache, 20)
    with pytest.raises(ConfigError, match=message):
        change(cache)
    assert (cache.budget, cache.n_sink, cache.size()) == (8, 2, 8)
    fed(cache, 20)


def test_trim_goes_back_until_the_first_eviction_and_refuses_then(cache):
    fed(cache, 8)
    assert cache.trim(3) == 3
    assert (cache.offset, cache.size(), positions(cache)) == (5, 5, [[0, 1, 2, 3, 4]] * 2)
    fed(cache, 3, seed=9)
    assert cache.is_trimmable() and cache.offset == 8
    fed(cache, 1)
    assert not cache.is_trimmable()
    with pytest.raises(CacheError, match="cannot go back"):
        cache.trim(1)


@pytest.mark.parametrize("fed_first", [10, 40])
@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda caches: caches.snapshot()])
def test_copies_go_on_independently(twin_of, fed_first):
    model = tiny_llama()
    caches = KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=16))
    feed_model(model, caches, tokens(fed_first), 10)
    decode(model, caches, tokens(3, 4))
    twin = twin_of(caches)
    rows_before = [np.array(cache.keys) for cache in twin]
    expected = decode(model, caches, tokens(30, 1))
    caches.resize(8)
    caches.protect([1])
    for cache, before in zip(twin, rows_before, strict=True):
        assert np.array_equal(np.array(cache.keys), before)
        assert (cache.offset, cache.budget, cache.protected) == (fed_first + 3, 16, set())
    assert mx.array_equal(decode(model, twin, tokens(30, 1)), expected)


def test_remembered_is_the_share_of_layers_and_heads_that_hold_a_token():
    model = tiny_llama()
    caches = KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=16))
    assert caches.remembered().shape == (0,)
    feed_model(model, caches, tokens(40), 10)
    share = caches.remembered()
    held = [head for cache in caches for head in positions(cache)]
    assert share.tolist() == [sum(p in head for head in held) / 4 for p in range(40)]
    assert share[:4].tolist() == [1.0] * 4 and share.sum() == 16
