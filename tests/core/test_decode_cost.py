"""What a decode step costs, independent of the machine: primitives, copies, waiting."""

import re

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache

from tests.core.cache_feeding import by_key, by_query, feed, rows, step

UNBOUNDED = 16
"""Primitives of a plain KV cache's update and attention, for one layer and step."""


def drawn(seed, dtype, width=16):
    queries, keys, values = (rows(1, n, width, seed + n, dtype) for n in (4, 2, 3))
    values = values[:, :2]
    # Evaluated, so that none of this counts as a primitive of the step.
    mx.eval(queries, keys, values)
    return queries, keys, values


def primitives(path, *outputs):
    mx.export_to_dot(str(path), *outputs)
    return len(re.findall(r"shape=rectangle", path.read_text()))


def full_cache(make, dtype, budget=8, **kind):
    cache = make(budget)
    feed(
        cache, rows(40, dtype=dtype, **kind), rows(40, dtype=dtype, **kind), 1, rows(40, 4, **kind)
    )
    return cache


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16])
def test_query_decode_takes_at_most_24_primitives_a_layer(dtype, tmp_path):
    cache = full_cache(by_query, dtype, width=16)
    mx.eval(cache.state)
    mx.eval(step(cache, *drawn(1, dtype)), cache._rows.free, cache._rows.order)
    output = step(cache, *drawn(2, dtype))
    held = cache._rows
    count = primitives(
        tmp_path / "bounded.dot", output, held.keys, held.values, held.order, held.free
    )
    assert count <= 24


def test_unbounded_decode_takes_16_primitives_in_the_same_count(tmp_path):
    cache = KVCache()
    queries, keys, values = drawn(1, mx.float32)
    mx.eval(cache.update_and_fetch(keys, values))
    keys, values = cache.update_and_fetch(keys, values)
    output = mx.fast.scaled_dot_product_attention(queries, keys, values, scale=0.25, mask=None)
    assert primitives(tmp_path / "unbounded.dot", output) == UNBOUNDED


@pytest.mark.parametrize("make", [by_key, by_query])
def test_decode_copies_one_row_and_not_the_buffer(make):
    """With a buffer of 4 MB, a step needs far less than a copy of it."""
    cache = make(4096, 0)
    keys = rows(4200, 2, 128)
    feed(cache, keys, keys, 4200, rows(4200, 4, 128))
    del keys
    for seed in range(3):
        mx.eval(step(cache, *drawn(seed, mx.float32, 128)), cache._rows.keys, cache._rows.values)
    parts = drawn(9, mx.float32, 128)
    mx.eval(cache._rows.free)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    output = step(cache, *parts)
    mx.eval(output, cache._rows.keys, cache._rows.values)
    buffer = cache._rows.keys.nbytes
    assert buffer > 4_000_000
    grown = mx.get_peak_memory() - before
    # The key signal reads its keys as fp32; here they are, so nothing is converted either.
    assert grown < buffer / 4


@pytest.mark.parametrize("make", [by_key, by_query])
def test_decode_never_waits_for_an_array(make):
    """Tracing raises where a value is asked for; a step that only builds a graph passes."""
    cache = full_cache(make, mx.float32)

    def traced(queries, keys, values):
        return step(cache.detached(), queries, keys, values)

    mx.compile(traced)(rows(1, 4), rows(1), rows(1))


def test_memory_of_a_long_conversation_is_flat():
    cache = full_cache(by_query, mx.float32)
    sizes = set()
    for seed in range(60):
        mx.eval(step(cache, *drawn(seed, mx.float32, 8)), cache.state)
        sizes.add(cache.nbytes)
    assert len(sizes) == 1
