"""The seam: a policy is one file and one line, everything else comes from the base."""

from typing import ClassVar

import mlx.core as mx
import numpy as np
import pytest

from tests.core.cache_feeding import feed, positions, rows
from tests.tiny_model import decode, tiny_llama, tokens
from tests.tiny_model import feed as feed_model
from velox_core import EvictingKVCache, KVCacheBuilder, KVCacheConfig, load_caches, save_caches
from velox_core.policies import POLICIES
from velox_core.policies.base import EvictionPolicy


class LargestKeysGo(EvictionPolicy):
    """A policy nobody else knows: the row with the largest key goes (Devoto et al. 2024)."""

    name: ClassVar[str] = "largest_keys_go"
    signals: ClassVar[tuple[str, ...]] = ("none",)

    def score(self, rows):
        return -mx.linalg.norm(rows.keys, axis=-1)[:, :, None]


@pytest.fixture
def new_policy(monkeypatch):
    monkeypatch.setitem(POLICIES, LargestKeysGo.name, f"{__name__}:LargestKeysGo")
    return KVCacheConfig(method=LargestKeysGo.name, tova_budget=8, tova_n_sink=2)


@pytest.mark.parametrize("chunk", [1, 7, 60])
def test_new_policy_needs_its_class_and_one_line(new_policy, chunk):
    cache, keys = EvictingKVCache(new_policy), rows(60)
    feed(cache, keys, keys, chunk)
    sizes = np.linalg.norm(np.array(keys[0]), axis=-1)
    for head, kept in enumerate(positions(cache)):
        smallest = [p for p in np.argsort(sizes[head]) if p >= 2][:6]
        assert kept == [0, 1, *sorted(int(p) for p in smallest)]


def test_new_policy_runs_in_a_model_and_is_saved(new_policy, tmp_path):
    model, ids = tiny_llama(), tokens(40)
    caches = KVCacheBuilder.for_model(model, new_policy)
    feed_model(model, caches, ids, 9)
    save_caches(tmp_path / "c", model, caches, ids)
    restored = load_caches(tmp_path / "c", model).caches
    assert restored[0].method == LargestKeysGo.name
    assert mx.array_equal(decode(model, restored, [5]), decode(model, caches, [5]))


@pytest.mark.parametrize("chunk", [1, 2, 7, 8, 60])
def test_streaming_llm_keeps_sinks_and_the_most_recent(chunk):
    cache = EvictingKVCache(
        KVCacheConfig(method="streaming_llm", tova_budget=8, tova_n_sink=2), hooked=True
    )
    keys = rows(60)
    for end in range(chunk, 61, chunk):
        part = keys[:, :, end - chunk : end]
        cache.update_and_fetch(part, part)
        kept = list(range(end)) if end <= 8 else [0, 1, *range(end - 6, end)]
        assert positions(cache) == [kept] * 2


def test_policies_know_their_own_names():
    for method in POLICIES:
        assert EvictingKVCache(KVCacheConfig(method=method)).policy.name == method
