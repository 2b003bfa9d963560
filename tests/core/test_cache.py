"""The bounded cache of one layer: what the reference implementation claims, held for ours."""

import mlx.core as mx
import pytest

from tests.core.cache_feeding import by_key, by_query, feed, positions, rows, step
from velox_core import CacheError, ConfigError, KVCacheConfig, KVCacheFactory, TOVAKVCache


@pytest.fixture(params=[by_key, by_query])
def cache(request):
    return request.param()


def fed(cache, n, chunk=1, **kind):
    feed(cache, rows(n, **kind), rows(n, seed=1, **kind), chunk, rows(n, 4, seed=2, **kind))
    return cache


def test_budget_never_exceeded_over_30_steps(cache):
    for n in range(1, 31):
        fed(cache, 1)
        assert cache.size() == cache.tokens_kept == min(n, 8)
        assert cache.keys.shape == cache.values.shape == (1, 2, min(n, 8), 8)


def test_offset_counts_every_token_through_evictions(cache):
    for n, chunk in ((5, 5), (20, 7), (1, 1), (1, 1), (64, 64), (3, 1)):
        before = cache.offset
        fed(cache, n, chunk)
        assert cache.offset == before + n
        assert cache.size() <= 8


def test_sinks_survive_every_eviction(cache):
    fed(cache, 100)
    assert all(head[:2] == [0, 1] for head in positions(cache))
    assert mx.array_equal(cache.keys[:, :, :2], rows(100)[:, :, :2])


def test_rows_keep_their_values_and_temporal_order(cache):
    keys, values = rows(50), rows(50, seed=1)
    feed(cache, keys, values, 1, rows(50, 4, seed=2))
    for head, kept in enumerate(positions(cache)):
        assert kept == sorted(kept)
        assert mx.array_equal(cache.keys[0, head], keys[0, head][mx.array(kept)])
        assert mx.array_equal(cache.values[0, head], values[0, head][mx.array(kept)])


def test_heads_keep_different_tokens(cache):
    fed(cache, 100)
    first, second = positions(cache)
    assert first != second


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
@pytest.mark.parametrize("chunk", [1, 5, 40])
def test_dtype_stays_what_it_was(cache, dtype, chunk):
    fed(cache, 40, chunk, dtype=dtype)
    assert cache.keys.dtype == cache.values.dtype == dtype


def test_large_values_survive_in_their_dtype():
    cache = by_key()
    cache.update_and_fetch(mx.full((1, 2, 3, 8), 70000.0), mx.full((1, 2, 3, 8), 70000.0))
    assert cache.keys.max().item() == 70000.0


def test_identical_inputs_give_identical_outputs():
    outputs = []
    for _ in range(2):
        cache = by_query()
        fed(cache, 30, 4)
        outputs.append(step(cache, rows(1, 4, seed=5), rows(1, seed=6), rows(1, seed=7)))
    assert mx.array_equal(*outputs)


def test_accounting_of_fp16_rows():
    cache = TOVAKVCache(KVCacheConfig(tova_budget=8, tova_n_sink=2))
    assert (cache.tokens_seen, cache.tova_kept_bytes, cache.compression_ratio) == (0, 0, 1.0)
    fed(cache, 6, 6, dtype=mx.float16)
    assert cache.tova_kept_bytes == 2 * 6 * 8 * 4
    assert cache.compression_ratio == 1.0
    fed(cache, 34, 5, dtype=mx.float16)
    assert cache.tova_kept_bytes == 2 * 8 * 8 * 4
    assert cache.full_seq_bytes == 2 * 40 * 8 * 4
    assert cache.compression_ratio == 5.0
    assert cache.tokens_seen == 1 * 2 * 40


def test_kept_bytes_are_true_in_fp32(cache):
    fed(cache, 40, 5)
    assert cache.kept_bytes == 2 * 8 * 8 * 8


def test_no_token_changes_nothing(cache):
    fed(cache, 20)
    before = positions(cache), cache.offset, cache.tokens_seen
    nothing = mx.zeros((1, 2, 0, 8))
    cache.update_and_fetch(nothing, nothing)
    assert (positions(cache), cache.offset, cache.tokens_seen) == before


def test_batches_are_refused():
    with pytest.raises(CacheError, match="batch size 1"):
        by_key().update_and_fetch(mx.zeros((2, 2, 1, 8)), mx.zeros((2, 2, 1, 8)))


def test_other_shapes_than_held_are_refused(cache):
    fed(cache, 3)
    with pytest.raises(CacheError, match="do not fit"):
        cache.update_and_fetch(mx.zeros((1, 3, 1, 8)), mx.zeros((1, 3, 1, 8)))


def test_factory_dispatches_by_method():
    tova = KVCacheFactory.create(KVCacheConfig(method="tova", tova_budget=9, tova_n_sink=3))
    streaming = KVCacheFactory.create(KVCacheConfig(method="streaming_llm"))
    assert type(tova) is TOVAKVCache
    assert (tova.budget, tova.n_sink, tova.signal) == (9, 3, "key")
    assert (streaming.method, streaming.signal) == ("streaming_llm", "none")
    with pytest.raises(ConfigError, match="tova"):
        TOVAKVCache(KVCacheConfig(method="streaming_llm"))


def test_nbytes_counts_spare_slots_and_stays_flat(cache):
    fed(cache, 20)
    held = cache.nbytes
    assert held >= 2 * (8 + 1) * 2 * 8 * 4
    fed(cache, 200)
    assert cache.nbytes == held
