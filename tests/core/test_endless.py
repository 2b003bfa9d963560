"""Endless conversations: keys move up, differences of positions and ``offset`` stay."""

import copy

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import make_prompt_cache

from tests.core.cache_feeding import positions
from tests.tiny_model import decode, feed, tiny_llama, tokens
from velox_core import EvictingKVCache, KVCacheBuilder, KVCacheConfig
from velox_core.positions import Rotation, Spans
from velox_core.ropes import find_endless

EXACT = {
    "plain": None,
    "linear": {"rope_type": "linear", "factor": 4.0},
    "llama3": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 256,
    },
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256},
    "longrope": {
        "rope_type": "longrope",
        "original_max_position_embeddings": 256,
        "short_factor": [1.0] * 4,
        "long_factor": [1.5, 2.0, 3.0, 4.0],
    },
}
"""Ropes on which a rotation can be put on top of a rotation."""


def build(model, budget=16, **config):
    return KVCacheBuilder.for_model(model, KVCacheConfig(tova_budget=budget, **config))


def llama(rope="plain", window=128):
    return tiny_llama(rope_scaling=EXACT.get(rope), max_position_embeddings=window)


@pytest.mark.parametrize("traditional", [False, True])
@pytest.mark.parametrize("rope", EXACT)
def test_moved_keys_are_the_model_s_own_keys_at_the_new_position(rope, traditional):
    model = tiny_llama(
        rope_scaling=EXACT[rope], max_position_embeddings=128, rope_traditional=traditional
    )
    caches = build(model)
    attention = model.model.layers[0].self_attn
    x = mx.random.normal((1, 2, 5, 8), key=mx.random.key(3))
    moved = caches[0].rotation.moved(attention.rope(x, offset=11), mx.full((2, 5), 300, mx.int32))
    assert np.allclose(np.array(moved), np.array(attention.rope(x, offset=311)), atol=1e-4)


@pytest.mark.parametrize("rope", EXACT)
def test_logits_do_not_change_when_all_rows_and_the_offset_move(rope):
    caches = build(llama(rope))
    model = llama(rope)
    feed(model, caches, tokens(50), 10)
    moved = copy.deepcopy(caches)
    for cache in moved:
        keys, values = cache._rows.in_time()
        by = mx.full((2, 16), 500, mx.int32)
        cache._take_over(cache.rotation.moved(keys, by), values, cache._order(), cache._scores)
        cache.offset += 500
        cache.spans.window = None  # the rows are where this test wants them
    difference = decode(model, caches, [5]) - decode(model, moved, [5])
    assert np.abs(np.array(difference)).max() < 2e-5


def test_far_beyond_the_window_distances_stay_within_half_of_it():
    model = llama(window=128)
    caches = build(model)
    for turn in range(8):
        feed(model, caches, tokens(100, turn), 10)
        decode(model, caches, tokens(30, turn))
        for cache in caches:
            rotated, true = np.array(cache.rotation_positions), np.array(cache.positions)
            assert cache.offset - rotated.min() <= 64
            assert (np.diff(rotated, axis=1) > 0).all() and (np.diff(true, axis=1) > 0).all()
            assert (rotated >= true).all() and rotated.max() < cache.offset
            assert true[:, :4].tolist() == [[0, 1, 2, 3]] * 2
    assert {cache.offset for cache in caches} == {1040}


def test_rows_are_what_a_fresh_model_would_rotate_there():
    """After many moves a kept key still is its token's key at its rotation position."""
    model = tiny_llama(n_layers=1, max_position_embeddings=128)
    ids = tokens(900)
    (cache,) = caches = build(model)
    feed(model, caches, ids, 9)
    block = model.model.layers[0]
    hidden = block.input_layernorm(model.model.embed_tokens(mx.array([ids])))
    plain = block.self_attn.k_proj(hidden).reshape(1, 900, 2, 8).transpose(0, 2, 1, 3)
    for head in range(2):
        for row, true in enumerate(positions(cache)[head]):
            at = int(cache.rotation_positions[head, row])
            expected = block.self_attn.rope(plain[:, head : head + 1, true : true + 1], offset=at)
            assert np.allclose(cache.keys[0, head, row], expected[0, 0, 0], atol=2e-4)


def test_nothing_moves_within_the_window_or_when_switched_off():
    model = llama(window=4096)
    moving, still = build(model), build(model, endless=False)
    assert mx.array_equal(feed(model, moving, tokens(300), 30), feed(model, still, tokens(300), 30))
    assert moving[0].spans.moved_at == 0
    small = llama(window=64)
    caches = build(small, endless=False)
    feed(small, caches, tokens(300), 30)
    assert caches[0].spans.moved_at == 0 and caches.notices == ()


def test_unbounded_budget_is_not_touched_within_the_window():
    model = llama(window=128)
    caches = build(model, budget=100)
    expected = feed(model, make_prompt_cache(model), tokens(100), 20)
    assert np.allclose(feed(model, caches, tokens(100), 20), expected, atol=2e-5)


def test_rope_that_changes_with_length_switches_it_off_and_says_so():
    model = tiny_llama(
        rope_scaling={"rope_type": "dynamic", "factor": 2.0}, max_position_embeddings=128
    )
    caches = build(model)
    assert caches[0].spans.window is None
    assert caches.notices == (
        "This model's positions cannot be moved exactly; text may fall apart after 128 tokens.",
    )


def test_unknown_window_switches_it_off_and_says_so():
    caches = build(tiny_llama(max_position_embeddings=None))
    assert caches[0].spans.window is None
    assert "does not say how many tokens" in caches.notices[0]


def test_model_is_examined_once():
    model = llama()
    assert find_endless(model, lambda: make_prompt_cache(model), (0, 1)) is find_endless(
        model, lambda: make_prompt_cache(model), (0, 1)
    )


def test_state_snapshot_and_live_changes_keep_rotation_positions():
    model = llama()
    caches = build(model)
    feed(model, caches, tokens(500), 10)
    before = np.array(caches[0].rotation_positions)
    twin, restored = caches.snapshot(), EvictingKVCache.from_state(caches[0].state)
    decode(model, caches, tokens(200, 1))
    assert np.array_equal(twin[0].rotation_positions, before)
    assert np.array_equal(restored.rotation_positions, before)
    twin.resize(8)
    held = np.isin(before, np.array(twin[0].rotation_positions))
    assert held.sum() >= 16


def test_layers_without_positions_keep_their_keys():
    keys = mx.random.normal((1, 2, 5, 8))
    assert Rotation().moved(keys, mx.full((2, 5), 9, mx.int32)) is keys


@pytest.mark.parametrize(
    ("offset", "budget", "due"), [(2048, 512, False), (4097, 512, True), (7000, 3000, True)]
)
def test_rows_move_past_half_the_window_or_twice_the_budget(offset, budget, due):
    assert Spans(window=8192).due(offset, 1, budget, budget) is due
    assert not Spans(window=None).due(offset, 1, budget, budget)


def test_budget_as_large_as_the_window_does_not_move_rows_at_every_step():
    spans, moves = Spans(window=64), 0
    for offset in range(64, 640):
        if spans.due(offset, 1, 64, 64):
            held = np.arange(offset - 64, offset, dtype=np.int32)[None]
            spans.move(held, offset)
            moves += 1
    assert moves <= 576 / 16 + 1


@pytest.mark.parametrize(("dtype", "limit"), [(mx.float16, 0.02), (mx.bfloat16, 0.15)])
def test_rounding_of_repeated_moves_stays_small(dtype, limit):
    """A sink moves each time: 100 moves are 350,000 tokens of the starter model at budget 512."""
    rope = tiny_llama(head_dim=64, hidden_size=256).model.layers[0].self_attn.rope
    plain = mx.random.normal((1, 1, 4, 64), key=mx.random.key(1))
    keys = rope(plain, offset=0).astype(dtype)
    for _ in range(100):
        keys = Rotation(rope).moved(keys, mx.full((1, 4), 3584, mx.int32))
    expected = np.array(rope(plain, offset=0))
    back = Rotation(rope).moved(keys.astype(mx.float32), mx.full((1, 4), -358400, mx.int32))
    error = np.linalg.norm(np.array(back) - expected) / np.linalg.norm(expected)
    assert error < limit
