"""The hook: shows queries to caches that ask, changes nothing else, comes off again."""

import mlx.core as mx
import mlx_lm.models.llama as llama_module
import numpy as np
import pytest
from mlx_lm.models import gemma2
from mlx_lm.models.cache import make_prompt_cache

from tests.tiny_model import decode, feed, tiny_llama, tokens
from velox_core import KVCacheBuilder, KVCacheConfig, install_hook, remove_hook
from velox_core.attention import attend_newest, newest_weights

CONFIG = KVCacheConfig(tova_budget=16)


@pytest.fixture
def model():
    model = tiny_llama()
    remove_hook(model)
    yield model
    remove_hook(model)


def test_installing_twice_wraps_once_and_removing_restores(model):
    original = llama_module.scaled_dot_product_attention
    assert install_hook(model) == ("mlx_lm.models.llama",)
    wrapped = llama_module.scaled_dot_product_attention
    install_hook(model)
    assert llama_module.scaled_dot_product_attention is wrapped is not original
    remove_hook(model)
    assert llama_module.scaled_dot_product_attention is original
    remove_hook(model)
    assert llama_module.scaled_dot_product_attention is original


def test_native_caches_give_bitwise_the_same_results_under_the_hook(model):
    ids = tokens(40)
    before = feed(model, make_prompt_cache(model), ids, 8)
    install_hook(model)
    assert mx.array_equal(feed(model, make_prompt_cache(model), ids, 8), before)
    quantised = [cache.to_quantized(group_size=32, bits=8) for cache in make_prompt_cache(model)]
    assert quantised[0].bits == 8


def test_key_caches_are_not_touched_by_the_hook(model):
    caches = KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=16, tova_signal="key"))
    assert not any(cache.wants_query for cache in caches)
    feed(model, caches, tokens(40), 8)
    assert [cache.signal for cache in caches] == ["key", "key"]


def test_queries_that_stop_coming_are_noticed_and_keys_take_over(model):
    caches = KVCacheBuilder.for_model(model, CONFIG)
    feed(model, caches, tokens(40), 8)
    assert caches.notices == ()
    remove_hook(model)
    decode(model, caches, tokens(5))
    assert [cache.signal for cache in caches] == ["key", "key"]
    assert len(caches.notices) == 1 and "goes by keys instead" in caches.notices[0]
    assert {(cache.size(), cache.offset) for cache in caches} == {(16, 45)}


def test_model_whose_attention_does_not_reach_the_hook_falls_back_visibly():
    args = gemma2.ModelArgs(
        model_type="gemma2",
        hidden_size=32,
        num_hidden_layers=2,
        intermediate_size=64,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        rms_norm_eps=1e-5,
        vocab_size=97,
    )
    model = gemma2.Model(args)
    caches = KVCacheBuilder.for_model(model, CONFIG)
    assert [cache.signal for cache in caches] == ["key", "key"]
    assert "goes by keys instead" in caches.notices[0]
    feed(model, caches, tokens(60), 9)
    assert {(cache.size(), cache.offset) for cache in caches} == {(16, 60)}


@pytest.mark.parametrize("sinks", [None, "learned"])
@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16])
def test_attention_with_weights_equals_mlx_attention(dtype, sinks):
    draw = [mx.random.normal((1, n, m, 16), key=mx.random.key(n)) for n, m in ((6, 1), (2, 33))]
    queries, keys = (x.astype(dtype) for x in draw)
    sinks = mx.random.normal((6,), key=mx.random.key(5)).astype(dtype) if sinks else None
    output, weights = attend_newest(queries, keys, keys, 0.25, sinks)
    expected = mx.fast.scaled_dot_product_attention(
        queries, keys, keys, scale=0.25, mask=None, sinks=sinks
    )
    tolerance = 1e-5 if dtype == mx.float32 else 3e-2
    assert output.dtype == dtype
    assert np.allclose(
        np.array(output.astype(mx.float32)), np.array(expected.astype(mx.float32)), atol=tolerance
    )
    assert weights.dtype == mx.float32 and weights.shape == (1, 2, 1, 33)
    if sinks is None:
        assert np.allclose(np.array(weights.sum(-1)), 1, atol=1e-5)
    else:
        assert (np.array(weights.sum(-1)) < 1).all()


@pytest.mark.parametrize("kind", ["bool", "additive", "per head"])
def test_masked_rows_get_no_weight(kind):
    queries = mx.random.normal((1, 4, 3, 8), key=mx.random.key(1))
    keys = mx.random.normal((1, 2, 5, 8), key=mx.random.key(2))
    mask = mx.array([[True] * 3 + [False] * 2] * 3)
    if kind == "additive":
        mask = mx.where(mask, 0.0, -mx.inf)
    if kind == "per head":
        mask = mx.broadcast_to(mask, (1, 4, 3, 5))
    weights = np.array(newest_weights(queries, keys, 0.3, None, mask))
    assert (weights[..., 3:] == 0).all()
    expected = newest_weights(queries, keys[:, :, :3], 0.3, None, None)
    assert np.allclose(weights[..., :3], np.array(expected), atol=1e-6)
