"""Every eviction, both signals, against TOVA written plainly in NumPy."""

import mlx.core as mx
import numpy as np
import pytest

from tests.core.cache_feeding import by_key, by_query, feed, positions, rows, step
from tests.core.numpy_reference import ReferenceTova

SHAPES = [(1, 1), (2, 2), (6, 2), (8, 1)]
"""(query heads, KV heads): one head, several, grouped, all sharing one."""


@pytest.mark.parametrize("n_sink", [0, 3])
@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_key_signal_every_step_of_decode(n_sink, n_kv_heads):
    cache, reference = by_key(8, n_sink), ReferenceTova(n_kv_heads, 8, n_sink)
    keys = rows(60, n_kv_heads)
    for at in range(60):
        cache.update_and_fetch(keys[:, :, at : at + 1], keys[:, :, at : at + 1])
        reference.feed_by_key(np.array(keys[0, :, at : at + 1]))
        assert positions(cache) == reference.kept


@pytest.mark.parametrize("chunk", [2, 7, 64, 300])
@pytest.mark.parametrize("budget", [1, 9, 130])
def test_key_signal_chunks_are_as_if_fed_one_at_a_time(chunk, budget):
    cache, reference = by_key(budget, 0), ReferenceTova(2, budget, 0)
    keys = rows(300, 2)
    feed(cache, keys, keys, chunk)
    reference.feed_by_key(np.array(keys[0]))
    assert positions(cache) == reference.kept


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16])
def test_key_signal_scores_low_precision_rows_in_fp32(dtype):
    cache, reference = by_key(16, 2), ReferenceTova(2, 16, 2)
    keys = rows(120, 2, dtype=dtype)
    feed(cache, keys[:, :, :100], keys[:, :, :100], 30)
    feed(cache, keys[:, :, 100:], keys[:, :, 100:], 1)
    reference.feed_by_key(np.array(keys[0].astype(mx.float32)))
    assert positions(cache) == reference.kept


@pytest.mark.parametrize("n_sink", [0, 3])
@pytest.mark.parametrize(("n_heads", "n_kv_heads"), SHAPES)
def test_query_signal_every_step_of_decode(n_heads, n_kv_heads, n_sink):
    cache, reference = by_query(8, n_sink), ReferenceTova(n_kv_heads, 8, n_sink)
    keys, queries = rows(60, n_kv_heads), rows(60, n_heads, seed=3)
    for at in range(60):
        part = slice(at, at + 1)
        step(cache, queries[:, :, part], keys[:, :, part], keys[:, :, part])
        reference.feed_by_query(np.array(keys[0, :, part]), np.array(queries[0, :, at]))
        assert positions(cache) == reference.kept


@pytest.mark.parametrize("chunk", [2, 7, 20, 61])
@pytest.mark.parametrize(("n_heads", "n_kv_heads"), SHAPES)
def test_query_signal_every_chunk(n_heads, n_kv_heads, chunk):
    cache, reference = by_query(8, 2), ReferenceTova(n_kv_heads, 8, 2)
    keys, queries = rows(61, n_kv_heads), rows(61, n_heads, seed=3)
    for at in range(0, 61, chunk):
        part = slice(at, at + chunk)
        step(cache, queries[:, :, part], keys[:, :, part], keys[:, :, part])
        last = np.array(queries[0, :, part])[:, -1]
        reference.feed_by_query(np.array(keys[0, :, part]), last)
        assert positions(cache) == reference.kept


def test_query_signal_protected_positions_stay():
    cache, reference = by_query(8, 2), ReferenceTova(2, 8, 2, protected=(5, 20, 33))
    cache.protect([5, 20, 33])
    keys, queries = rows(60, 2), rows(60, 6, seed=3)
    for at in range(0, 60, 1):
        part = slice(at, at + 1)
        step(cache, queries[:, :, part], keys[:, :, part], keys[:, :, part])
        reference.feed_by_query(np.array(keys[0, :, part]), np.array(queries[0, :, at]))
    assert positions(cache) == reference.kept
    assert all({5, 20, 33} <= set(head) for head in positions(cache))


@pytest.mark.parametrize("chunk", [1, 5, 40])
@pytest.mark.parametrize("make", [by_key, by_query])
def test_ties_go_lowest_position_first(make, chunk):
    cache = make(6, 2)
    same = mx.ones((1, 2, 40, 8))
    feed(cache, same, same, chunk, mx.ones((1, 4, 40, 8)))
    assert positions(cache) == [[0, 1, 36, 37, 38, 39]] * 2


@pytest.mark.parametrize("chunk", [1, 5, 40])
@pytest.mark.parametrize("make", [by_key, by_query])
def test_nan_rows_go_lowest_position_first_and_sinks_stay(make, chunk):
    cache = make(6, 2)
    bad = mx.full((1, 2, 40, 8), mx.nan)
    feed(cache, bad, bad, chunk, mx.ones((1, 4, 40, 8)))
    assert positions(cache) == [[0, 1, 36, 37, 38, 39]] * 2


def test_one_nan_row_is_dropped_before_all_others_by_key():
    keys = np.ones((1, 1, 9, 8), np.float32)
    keys[0, 0, 5] = np.nan
    for chunk in (1, 9):
        cache = by_key(8, 0)
        feed(cache, mx.array(keys), mx.array(keys), chunk)
        assert positions(cache) == [[0, 1, 2, 3, 4, 6, 7, 8]]


def test_newest_token_may_be_dropped_as_in_the_paper():
    keys = (
        mx.array([[[[1.0, 0.0]], [[1.0, 0.0]], [[-1.0, 0.0]]]]).swapaxes(1, 2).reshape(1, 1, 3, 2)
    )
    query = mx.array([[[[1.0, 0.0]]]])
    cache = by_query(2, 0)
    for at in range(3):
        step(cache, query, keys[:, :, at : at + 1], keys[:, :, at : at + 1])
    assert positions(cache) == [[0, 1]]
