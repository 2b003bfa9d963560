"""TOVA by the key signal for one head, as pure functions on an immutable state.

A proxy of the paper's rule (see :mod:`velox_core.policies.tova`), for experiments and for users of
the reference implementation: the same names, the same arguments, the same choices.
"""

from dataclasses import dataclass, replace

import mlx.core as mx

from velox_core.config import check_budget
from velox_core.errors import CacheError
from velox_core.policies.sequential import keep_one_by_one


@dataclass(frozen=True, slots=True)
class TovaState:
    """One head's rows. There are no scores: TOVA carries none from step to step.

    Attributes:
        keys: ``(n_kept, D)`` in the dtype they came in, or None before the first token.
        values: ``(n_kept, D)`` likewise.
        n_sink: How many of the first positions are never dropped.
        budget: Most rows, sinks included.
        head_dim: D.
    """

    keys: mx.array | None
    values: mx.array | None
    n_sink: int
    budget: int
    head_dim: int = 1


def init_tova_state(n_sink: int, budget: int, head_dim: int) -> TovaState:
    """An empty state.

    Raises:
        ConfigError: Not ``0 ≤ n_sink < budget``.
    """
    check_budget(budget, n_sink)
    return TovaState(None, None, n_sink, budget, head_dim)


def tova_update(state: TovaState, new_keys: mx.array, new_values: mx.array) -> TovaState:
    """Take in S tokens, one at a time; each over budget drops the row its key attends to least.

    Args:
        state: The rows so far; it stays as it is.
        new_keys: ``(S, D)``.
        new_values: ``(S, D)``.

    Raises:
        CacheError: The shapes do not belong together.
    """
    if new_keys.ndim != 2 or new_keys.shape[0] != new_values.shape[0]:
        raise CacheError(f"Keys {new_keys.shape} and values {new_values.shape} must be (S, D).")
    n_new = new_keys.shape[0]
    if n_new == 0:
        return state
    keys, values = new_keys, new_values
    if state.keys is not None and state.values is not None:
        keys = mx.concatenate([state.keys, keys.astype(state.keys.dtype)])
        values = mx.concatenate([state.values, values.astype(state.values.dtype)])
    if keys.shape[0] > state.budget:
        guarded = (mx.arange(keys.shape[0]) < state.n_sink)[None, None, None]
        index = keep_one_by_one(keys[None, None], n_new, guarded, state.budget).index[0, 0]
        keys, values = keys[index], values[index]
    return replace(state, keys=keys, values=values)


def tova_get_kv(state: TovaState) -> tuple[mx.array, mx.array]:
    """Keys and values ``(n_kept, D)``; zero rows before the first token."""
    if state.keys is None or state.values is None:
        nothing = mx.zeros((0, state.head_dim), mx.float16)
        return nothing, nothing
    return state.keys, state.values


def tova_fp16_bytes(state: TovaState) -> int:
    """Bytes of K and V held, counted as fp16: ``n_kept * D * 4``."""
    return 0 if state.keys is None else full_tova_fp16_bytes(*state.keys.shape)


def full_tova_fp16_bytes(tokens_seen: int, head_dim: int) -> int:
    """Bytes of K and V in fp16 if every token were kept: ``tokens_seen * D * 4``."""
    return tokens_seen * head_dim * 4
