"""The contract with mlx-lm 0.32.2: every member of a cache that it calls, by name."""

import re
from pathlib import Path

import mlx.core as mx
import mlx_lm
import pytest
from mlx_lm.models.cache import KVCache, can_trim_prompt_cache, save_prompt_cache

from tests.core.cache_feeding import by_key, by_query, feed, positions, rows
from velox_core import CacheError, EvictingKVCache

SERVED = {
    "empty",
    "from_state",
    "is_trimmable",
    "keys",
    "keys_and_values",
    "make_mask",
    "nbytes",
    "offset",
    "size",
    "state",
    "trim",
    "update_and_fetch",
    "values",
}
ABSENT = {
    "bits": "attention would take the rows for quantised ones",
    "merge": "the server would batch it into an unbounded cache",
    "to_quantized": "generation would replace it by an unbounded cache",
    "meta_state": "gone since 0.32.2",
    "extract": "batches only",
    "filter": "batches only",
    "extend": "batches only",
    "prepare": "batches only",
    "finalize": "batches only",
    "max_size": "rotating caches only",
    "group_size": "quantised caches only",
    "step": "not asked of an instance",
}


def members(kind):
    return {name for name in dir(kind) if not name.startswith("_")}


def test_mlx_lm_is_the_version_this_contract_was_read_from():
    assert mlx_lm.__version__ == "0.32.2"


def test_every_public_member_of_the_plain_cache_is_served_or_absent_on_purpose():
    assert members(KVCache()) - SERVED - set(ABSENT) == set()
    assert members(KVCache()) & SERVED == SERVED


def test_generation_and_server_ask_for_nothing_else():
    """What mlx-lm's drivers read off a cache named ``c`` or ``cache``."""
    source = "".join(
        (Path(mlx_lm.__file__).parent / name).read_text() for name in ("generate.py", "server.py")
    )
    asked = set(re.findall(r"\bc\.(\w+)", source))
    known = SERVED | set(ABSENT)
    own_names = asked - known
    assert own_names <= {"cache_type", "isspace", "left_padding", "lengths", "strip"}, own_names


@pytest.mark.parametrize("name", sorted(SERVED))
def test_member_is_served(name):
    cache = by_key()
    feed(cache, rows(3), rows(3), 1)
    assert getattr(cache, name) is not None


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_member_is_absent(name):
    assert not hasattr(by_key(), name), ABSENT[name]


def test_cache_is_true_so_that_masks_come_from_it():
    assert bool(by_key())


@pytest.mark.parametrize("make", [by_key, by_query])
@pytest.mark.parametrize(("n", "chunk"), [(0, 1), (5, 1), (5, 5), (40, 1), (40, 9)])
def test_state_round_trip_is_equal(make, n, chunk):
    cache = make()
    feed(cache, rows(n), rows(n, seed=1), chunk, rows(n, 4, seed=2))
    cache.protect([3])
    twin = EvictingKVCache.from_state(cache.state)
    assert twin.empty() == cache.empty() == (n == 0)
    for name in ("offset", "budget", "n_sink", "protected", "method", "signal"):
        assert getattr(twin, name) == getattr(cache, name)
    assert positions(twin) == positions(cache)
    for more in (cache, twin):
        feed(more, rows(30, seed=5), rows(30, seed=6), 1, rows(30, 4, seed=7))
        more.resize(5, 1)
    assert positions(twin) == positions(cache)
    assert mx.array_equal(twin.keys, cache.keys) and mx.array_equal(twin.values, cache.values)


def test_state_is_of_arrays_and_scalars_as_mlx_lm_saves_them(tmp_path):
    cache = by_query()
    save_prompt_cache(str(tmp_path / "empty.safetensors"), [cache])
    feed(cache, rows(20), rows(20), 5, rows(20, 4))
    save_prompt_cache(str(tmp_path / "full.safetensors"), [cache])
    assert (tmp_path / "full.safetensors").stat().st_size > 0


def test_trimming_a_prompt_cache_stops_at_the_first_eviction():
    cache = by_key()
    feed(cache, rows(8), rows(8), 1)
    assert can_trim_prompt_cache([cache])
    feed(cache, rows(1), rows(1), 1)
    assert not can_trim_prompt_cache([cache])


def test_mask_sees_all_rows_held_and_is_causal_for_new_ones():
    cache = by_key(8)
    assert cache.make_mask(1) is None
    assert cache.make_mask(3) == "causal"
    assert cache.make_mask(2, return_array=True).tolist() == [[True, False], [True, True]]
    feed(cache, rows(20), rows(20), 4)
    assert cache.make_mask(1) is None
    expected = [[True] * 8 + [column <= row for column in range(3)] for row in range(3)]
    assert cache.make_mask(3).tolist() == expected


def test_sliding_window_is_refused_once_it_matters():
    cache = by_key()
    assert cache.make_mask(3, window_size=16) == "causal"
    feed(cache, rows(15), rows(15), 5)
    with pytest.raises(CacheError, match="sliding"):
        cache.make_mask(2, window_size=16)


def test_keys_and_values_are_what_the_step_attended_to():
    """gemma3n's and afm7's later layers ask for them after the update."""
    cache = by_key(8)
    with pytest.raises(CacheError, match="empty"):
        cache.keys_and_values()
    feed(cache, rows(20), rows(20), 20)
    keys, values = cache.keys_and_values()
    assert keys.shape == values.shape == (1, 2, 20, 8)
    feed(cache, rows(1), rows(1), 1)
    assert cache.keys_and_values()[0].shape == (1, 2, 9, 8)
