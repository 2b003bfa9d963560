"""Properties over shapes, dtypes, chunkings, budgets and sinks, for every policy and signal."""

import mlx.core as mx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.cache_feeding import positions, rows, step
from velox_core import EvictingKVCache, KVCacheConfig
from velox_core.policies import POLICIES


@st.composite
def conversations(draw):
    """A configuration and the calls made with it."""
    budget = draw(st.integers(1, 20))
    return {
        "config": KVCacheConfig(
            method=draw(st.sampled_from(sorted(POLICIES))),
            tova_signal=draw(st.sampled_from(["query", "key"])),
            tova_budget=budget,
            tova_n_sink=draw(st.integers(0, budget - 1)),
        ),
        "hooked": draw(st.booleans()),
        "n_kv_heads": draw(st.integers(1, 3)),
        "group": draw(st.integers(1, 3)),
        "width": draw(st.sampled_from([2, 5, 8])),
        "dtype": draw(st.sampled_from([mx.float32, mx.float16, mx.bfloat16])),
        "calls": draw(st.lists(st.integers(0, 30), min_size=1, max_size=8)),
        "seed": draw(st.integers(0, 99)),
    }


def run(talk, check=lambda cache: None):
    cache = EvictingKVCache(talk["config"], hooked=talk["hooked"])
    for turn, n in enumerate(talk["calls"]):
        draw = [
            rows(n, heads, talk["width"], talk["seed"] + 3 * turn + i, talk["dtype"])
            for i, heads in enumerate(
                (talk["n_kv_heads"] * talk["group"], talk["n_kv_heads"], talk["n_kv_heads"])
            )
        ]
        if n:
            step(cache, *draw)
            check(cache)
    return cache


@settings(max_examples=60, deadline=None)
@given(conversations())
def test_invariants_hold_after_every_call(talk):
    seen = iter(np.cumsum([n for n in talk["calls"] if n]))

    def check(cache):
        n_seen, config = int(next(seen)), talk["config"]
        n_kept = min(n_seen, config.tova_budget)
        assert (cache.offset, cache.size()) == (n_seen, n_kept)
        shape = (1, talk["n_kv_heads"], n_kept, talk["width"])
        assert cache.keys.shape == cache.values.shape == shape
        assert cache.keys.dtype == cache.values.dtype == talk["dtype"]
        for head in positions(cache):
            assert head == sorted(set(head)) and head[-1] < n_seen
            assert head[: config.tova_n_sink] == list(range(min(config.tova_n_sink, n_seen)))
        assert cache.compression_ratio == n_seen / n_kept

    run(talk, check)


@settings(max_examples=25, deadline=None)
@given(conversations())
def test_equal_inputs_give_equal_caches(talk):
    first, second = run(talk), run(talk)
    assert positions(first) == positions(second)
    if not first.empty():
        assert mx.array_equal(first.keys, second.keys)


@settings(max_examples=25, deadline=None)
@given(conversations(), st.integers(1, 25))
def test_state_round_trip_and_resize_keep_what_they_promise(talk, budget):
    cache = run(talk)
    twin = EvictingKVCache.from_state(cache.state)
    for one in (cache, twin):
        one.resize(budget, min(one.n_sink, budget - 1))
        assert one.size() == min(one.size(), budget)
    assert positions(cache) == positions(twin)


@settings(max_examples=25, deadline=None)
@given(conversations())
def test_key_signal_does_not_depend_on_the_chunking(talk):
    if talk["dtype"] != mx.float32 or not sum(talk["calls"]):
        return
    keys = rows(sum(talk["calls"]), talk["n_kv_heads"], talk["width"], talk["seed"])
    chunked, single = EvictingKVCache(talk["config"]), EvictingKVCache(talk["config"])
    start = 0
    for n in talk["calls"]:
        part = keys[:, :, start : start + n]
        chunked.update_and_fetch(part, part)
        start += n
    for at in range(keys.shape[2]):
        single.update_and_fetch(keys[:, :, at : at + 1], keys[:, :, at : at + 1])
    assert positions(chunked) == positions(single)
