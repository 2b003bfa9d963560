"""Feeding a cache by hand: random rows, and calls as a model makes them."""

import mlx.core as mx
import numpy as np

from velox_core import EvictingKVCache, KVCacheConfig


def rows(n_tokens, n_heads=2, width=8, seed=0, dtype=mx.float32):
    """Random normal ``(1, n_heads, n_tokens, width)``."""
    return mx.random.normal((1, n_heads, n_tokens, width), key=mx.random.key(seed)).astype(dtype)


def by_key(budget=8, n_sink=2, **config):
    """A cache that was never shown a query."""
    return EvictingKVCache(KVCacheConfig(tova_budget=budget, tova_n_sink=n_sink, **config))


def by_query(budget=8, n_sink=2, **config):
    """A cache whose attention goes through the hook."""
    config = KVCacheConfig(tova_budget=budget, tova_n_sink=n_sink, **config)
    return EvictingKVCache(config, hooked=True)


def step(cache, queries, keys, values):
    """One layer's call: update, then attention as the hook runs it. Returns its output."""
    mask = cache.make_mask(keys.shape[2])
    scale = keys.shape[3] ** -0.5
    all_keys, all_values = cache.update_and_fetch(keys, values)

    def native():
        return mx.fast.scaled_dot_product_attention(
            queries, all_keys, all_values, scale=scale, mask=mask
        )

    if not cache.wants_query:
        return native()
    return cache.attend(queries, all_keys, all_values, scale, mask, None, native)


def feed(cache, keys, values, chunk, queries=None):
    """Feed rows in chunks, with queries if given."""
    for start in range(0, keys.shape[2], chunk):
        part = slice(start, start + chunk)
        if queries is None:
            cache.update_and_fetch(keys[:, :, part], values[:, :, part])
        else:
            step(cache, queries[:, :, part], keys[:, :, part], values[:, :, part])


def positions(cache):
    """Kept positions as nested lists, one for each KV head."""
    return np.array(cache.positions).tolist()
