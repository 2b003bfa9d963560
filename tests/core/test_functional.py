"""The functional core: the reference implementation's published claims, held for ours."""

import dataclasses

import mlx.core as mx
import numpy as np
import pytest

from tests.core.numpy_reference import ReferenceTova
from velox_core import (
    ConfigError,
    full_tova_fp16_bytes,
    init_tova_state,
    tova_fp16_bytes,
    tova_get_kv,
    tova_update,
)


def rows(n, width=8, seed=0):
    return mx.random.normal((n, width), key=mx.random.key(seed))


def fed(n, budget=6, n_sink=2, width=8):
    return tova_update(
        init_tova_state(n_sink, budget, width), rows(n, width), rows(n, width, seed=1)
    )


def test_init_fields_are_what_was_asked():
    state = init_tova_state(n_sink=4, budget=16, head_dim=32)
    assert (state.keys, state.values, state.n_sink, state.budget) == (None, None, 4, 16)


def test_state_has_no_scores_field():
    assert "scores" not in {field.name for field in dataclasses.fields(init_tova_state(0, 1, 2))}


def test_empty_state_gives_zero_row_keys_and_values():
    keys, values = tova_get_kv(init_tova_state(2, 6, 8))
    assert keys.shape == values.shape == (0, 8)


def test_one_token_bootstraps():
    keys, values = tova_get_kv(fed(1))
    assert mx.array_equal(keys, rows(1)) and mx.array_equal(values, rows(1, seed=1))


def test_several_below_budget_all_stay():
    keys, values = tova_get_kv(fed(5))
    assert mx.array_equal(keys, rows(5)) and mx.array_equal(values, rows(5, seed=1))


def test_no_token_changes_nothing():
    state = fed(5)
    assert tova_update(state, mx.zeros((0, 8)), mx.zeros((0, 8))) is state


def test_budget_never_exceeded_over_30_steps():
    state = init_tova_state(2, 6, 8)
    for seed in range(30):
        state = tova_update(state, rows(1, seed=seed), rows(1, seed=seed + 100))
        keys, values = tova_get_kv(state)
        assert keys.shape[0] == values.shape[0] == min(seed + 1, 6)


def test_budget_plus_one_tokens_leave_exactly_budget_rows():
    assert fed(7).keys.shape == fed(7).values.shape == (6, 8)


def test_first_sinks_survive_every_eviction():
    state = init_tova_state(2, 6, 8)
    for start in range(40):
        known = mx.full((1, 8), float(start))
        state = tova_update(state, known * (-1) ** start, known)
        assert state.values[: min(start + 1, 2), 0].tolist() == [0.0, 1.0][: start + 1]


def test_without_sinks_the_first_token_can_go():
    keys = mx.array([[-1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    state = tova_update(init_tova_state(0, 2, 2), keys, mx.array([[0.0], [1.0], [2.0]]))
    assert state.values[:, 0].tolist() == [1.0, 2.0]


def test_orthogonal_token_goes_before_an_aligned_one():
    aligned, orthogonal = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    for order, left in (([aligned, orthogonal], 0.0), ([orthogonal, aligned], 1.0)):
        state = tova_update(init_tova_state(0, 2, 3), mx.array(order), mx.array([[0.0], [1.0]]))
        state = tova_update(state, mx.array([aligned]), mx.array([[2.0]]))
        assert state.values[:, 0].tolist() == [left, 2.0]


def test_memoryless_every_step_depends_on_the_rows_alone():
    state = fed(12)
    for seed in range(20):
        fresh = dataclasses.replace(init_tova_state(2, 6, 8), keys=state.keys, values=state.values)
        new = rows(1, seed=seed + 50), rows(1, seed=seed + 90)
        state, same = tova_update(state, *new), tova_update(fresh, *new)
        assert mx.array_equal(state.keys, same.keys) and mx.array_equal(state.values, same.values)


def test_bytes_count_keys_and_values_in_fp16():
    assert tova_fp16_bytes(init_tova_state(2, 6, 8)) == 0
    assert tova_fp16_bytes(fed(4)) == 4 * 8 * 4
    assert tova_fp16_bytes(fed(40)) == 6 * 8 * 4
    assert full_tova_fp16_bytes(40, 8) == 40 * 8 * 4


@pytest.mark.parametrize("n", [6, 7, 50, 300])
def test_evictions_agree_with_numpy(n):
    reference = ReferenceTova(1, budget=6, n_sink=2)
    reference.feed_by_key(np.array(rows(n))[None])
    kept = [np.array(rows(n))[position].tolist() for position in reference.kept[0]]
    assert fed(n).keys.tolist() == kept


def test_one_call_and_many_agree():
    state = init_tova_state(2, 6, 8)
    for row in range(40):
        state = tova_update(state, rows(40)[row : row + 1], rows(40, seed=1)[row : row + 1])
    assert mx.array_equal(state.keys, fed(40).keys)


@pytest.mark.parametrize(("n_sink", "budget"), [(4, 4), (5, 4), (-1, 4), (0, 0)])
def test_sinks_that_leave_no_room_are_refused(n_sink, budget):
    with pytest.raises(ConfigError, match="tova_"):
        init_tova_state(n_sink, budget, 8)
