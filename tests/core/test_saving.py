"""Saving and restoring caches: exact, atomic, and refused in plain words when it cannot be."""

import json

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_map
from mlx_lm.models.cache import make_prompt_cache

from tests.core.cache_feeding import positions
from tests.model_zoo import KINDS, build
from tests.tiny_model import decode, feed, tiny_llama, tokens
from velox_core import CacheError, KVCacheBuilder, KVCacheConfig, SavedCacheError
from velox_core.saving import load_caches, save_caches


def filled(model, n=60, budget=16, **config):
    caches = KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=budget, **config))
    ids = tokens(n)
    feed(model, caches, ids[: n - 5], 10)
    decode(model, caches, ids[n - 5 :])
    return caches, ids


@pytest.fixture(scope="module")
def model():
    return tiny_llama(max_position_embeddings=64)


@pytest.fixture
def saved(model, tmp_path):
    caches, ids = filled(model)
    caches.protect([57])
    save_caches(tmp_path / "chat.safetensors", model, caches, ids)
    return tmp_path / "chat.safetensors", caches, ids


@pytest.mark.parametrize("name", KINDS)
def test_round_trip_of_every_kind_of_model_gives_equal_next_logits(name, tmp_path):
    model = build(name)
    caches, ids = filled(model, n=130)
    save_caches(tmp_path / "c", model, caches, ids)
    restored = load_caches(tmp_path / "c", model)
    assert restored.token_ids == ids
    assert restored.caches.bounded == caches.bounded
    more = tokens(40, 3)
    assert mx.array_equal(decode(model, restored.caches, more), decode(model, caches, more))
    for one, other in zip(restored.caches.bounded_caches, caches.bounded_caches, strict=True):
        assert positions(one) == positions(other)


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16])
def test_low_precision_rows_come_back_bit_by_bit(dtype, tmp_path):
    model = tiny_llama()
    model.update(tree_map(lambda weight: weight.astype(dtype), model.parameters()))
    caches, ids = filled(model)
    save_caches(tmp_path / "c", model, caches, ids)
    restored = load_caches(tmp_path / "c", model).caches
    assert restored[0].keys.dtype == dtype
    assert mx.array_equal(restored[1].values, caches[1].values)


@pytest.mark.parametrize("method", ["tova", "streaming_llm"])
@pytest.mark.parametrize("signal", ["query", "key"])
def test_settings_guards_and_rotations_come_back(method, signal, tmp_path, model):
    caches, ids = filled(model, n=300, method=method, tova_signal=signal, tova_n_sink=3)
    caches.protect([298])
    save_caches(tmp_path / "c", model, caches, ids)
    for one, other in zip(load_caches(tmp_path / "c", model).caches, caches, strict=True):
        for name in ("method", "signal", "budget", "n_sink", "protected", "offset"):
            assert getattr(one, name) == getattr(other, name)
        assert np.array_equal(one.rotation_positions, other.rotation_positions)
        assert one.spans.window == other.spans.window == 64


def test_empty_caches_can_be_saved(model, tmp_path):
    caches = KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=16))
    save_caches(tmp_path / "c", model, caches, [])
    restored = load_caches(tmp_path / "c", model)
    assert restored.token_ids == [] and all(cache.empty() for cache in restored.caches)


def test_unbounded_caches_can_be_saved_too(model, tmp_path):
    caches, ids = make_prompt_cache(model), tokens(20)
    feed(model, caches, ids, 10)
    save_caches(tmp_path / "c", model, caches, ids)
    restored = load_caches(tmp_path / "c", model).caches
    assert mx.array_equal(decode(model, restored, [5]), decode(model, caches, [5]))


def test_tokens_that_are_not_those_in_the_caches_are_refused(model, tmp_path):
    caches, ids = filled(model)
    with pytest.raises(CacheError, match="59 token ids do not fit a cache that saw 60"):
        save_caches(tmp_path / "c", model, caches, ids[:-1])
    assert not (tmp_path / "c").exists()


def test_another_model_is_refused(saved):
    other = tiny_llama(max_position_embeddings=64)
    other.model.layers[1].mlp.up_proj.weight += 1
    with pytest.raises(SavedCacheError, match="belongs to another model"):
        load_caches(saved[0], other)


def test_another_format_version_is_refused(saved, model):
    path = saved[0]
    path.write_bytes(path.read_bytes().replace(b'"version":"1"', b'"version":"9"'))
    with pytest.raises(SavedCacheError, match="format version 9"):
        load_caches(path, model)


@pytest.mark.parametrize("left", [0, 1, 7, 8, 100, 0.5, -1])
def test_cut_file_is_refused(saved, model, left):
    path = saved[0]
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * left)] if left == 0.5 else content[:left])
    with pytest.raises(SavedCacheError, match="damaged"):
        load_caches(path, model)


@pytest.mark.parametrize("place", [0, 4, 20, 0.3, 0.6, 0.9, -1])
def test_edited_file_is_refused(saved, model, place):
    path = saved[0]
    content = bytearray(path.read_bytes())
    at = int(len(content) * place) if isinstance(place, float) else place
    content[at] ^= 0x15
    path.write_bytes(content)
    with pytest.raises(SavedCacheError):
        load_caches(path, model)


def test_edited_metadata_is_refused(saved, model):
    path = saved[0]
    content = path.read_bytes()
    before = json.dumps(json.dumps([16, 4, "57"])[1:-1])[1:-1].encode()
    assert before in content
    path.write_bytes(content.replace(before, before.replace(b"16", b"61")))
    with pytest.raises(SavedCacheError, match="damaged"):
        load_caches(path, model)


def test_other_files_and_missing_ones_are_refused(model, tmp_path):
    mx.save_safetensors(str(tmp_path / "weights.safetensors"), {"0": mx.zeros((3,))})
    with pytest.raises(SavedCacheError, match="no saved memory"):
        load_caches(tmp_path / "weights.safetensors", model)
    with pytest.raises(SavedCacheError, match="cannot be read"):
        load_caches(tmp_path / "missing", model)


def test_failed_write_leaves_the_older_file_and_no_rubbish(saved, model, monkeypatch):
    path, caches, ids = saved
    before = path.read_bytes()

    def fail(_descriptor):
        raise OSError("No space left on device")

    monkeypatch.setattr("velox_core.saving.os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        save_caches(path, model, caches, ids)
    assert path.read_bytes() == before
    assert [child.name for child in path.parent.iterdir()] == [path.name]
