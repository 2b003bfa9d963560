"""The reference's sweep: the ratio is exactly tokens over budget, in 28 configurations."""

import mlx.core as mx
import pytest

from tests.core.cache_feeding import rows
from velox_core import KVCacheConfig, KVCacheFactory

SWEEP = [
    (seq_len, budget, n_sink)
    for seq_len in (128, 512, 1024, 2048)
    for budget in (64, 128, 256, 512)
    for n_sink in (0, 4)
    if budget <= seq_len
]


def test_sweep_has_28_configurations():
    assert len(SWEEP) == 28


@pytest.mark.parametrize(("seq_len", "budget", "n_sink"), SWEEP)
def test_sweep_ratio_is_tokens_over_budget(seq_len, budget, n_sink):
    config = KVCacheConfig(tova_budget=budget, tova_n_sink=n_sink, head_dim=16)
    cache = KVCacheFactory.create(config)
    keys = rows(seq_len, 4, 16, dtype=mx.float16)
    cache.update_and_fetch(keys, keys)
    assert cache.compression_ratio == seq_len / budget
    assert (cache.size(), cache.offset, cache.tokens_seen) == (budget, seq_len, 4 * seq_len)
    assert cache.tova_kept_bytes == 4 * budget * 16 * 4
