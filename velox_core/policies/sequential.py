"""The key signal over a chunk: exactly as if its tokens were fed one at a time.

Only the choice is sequential. The products of a block of incoming keys with all rows that can
still be alive come from one matrix product; a dropped row is masked, never moved, until the block
ends. All KV heads take each step together. Runs on the host: prefill waits for its chunk anyway.
"""

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from velox_core.policies.base import LOWEST, Kept

BLOCK = 128
"""Tokens per matrix product: long enough for BLAS, short enough to waste few masked rows."""


def keep_one_by_one(keys: mx.array, n_new: int, guarded: mx.array, budget: int) -> Kept:
    """Feed the last ``n_new`` rows one at a time, each dropping the row its key likes least.

    Args:
        keys: ``(1, n_kv_heads, L, D)`` in temporal order; the first ``L - n_new`` are held
            already and no more than ``budget``.
        n_new: How many rows are new.
        guarded: ``(1, n_kv_heads, 1, L)`` bool: rows that must stay.
        budget: Most rows at any time.

    Returns:
        The rows that are left and the last token's products with them.
    """
    rows = np.array(keys[0].astype(mx.float32))
    stay = np.array(guarded[0, :, 0])
    length = rows.shape[1]
    # The first tokens fill the cache up and drop nothing.
    start = max(length - n_new, min(budget, length))
    alive = np.broadcast_to(np.arange(start), (rows.shape[0], start))
    last = np.zeros(alive.shape, np.float32)
    for begin in range(start, length, BLOCK):
        fresh = np.arange(begin, min(begin + BLOCK, length))
        alive, last = _drop_block(rows, stay, alive, fresh)
    return Kept(mx.array(alive)[None], mx.array(last)[None, :, None])


def _drop_block(
    rows: NDArray[np.float32],
    stay: NDArray[np.bool_],
    alive: NDArray[np.int64],
    fresh: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Let the rows ``fresh`` arrive one by one; returns what is alive and its last products."""
    n_heads, n_alive = alive.shape
    columns = np.concatenate([alive, np.broadcast_to(fresh, (n_heads, len(fresh)))], axis=1)
    held = np.take_along_axis(rows, columns[..., None], axis=1)
    products = rows[:, fresh] @ held.swapaxes(1, 2)
    if not np.isfinite(products).all():
        np.nan_to_num(products, copy=False, nan=LOWEST, posinf=-LOWEST, neginf=LOWEST)
    # Added to a product: infinite for rows that must stay and for rows already dropped.
    masked = np.where(np.take_along_axis(stay, columns, axis=1), np.inf, 0).astype(np.float32)
    dropped = np.zeros(columns.shape, np.bool_)
    heads = np.arange(n_heads)
    for step in range(len(fresh)):
        seen = n_alive + step + 1
        # Columns are in temporal order, so argmin's first hit is the lowest position.
        victim = (products[:, step, :seen] + masked[:, :seen]).argmin(axis=1)
        masked[heads, victim] = np.inf
        dropped[heads, victim] = True
    left = columns[~dropped].reshape(n_heads, n_alive)
    last = products[:, -1][~dropped].reshape(n_heads, n_alive)
    return left, last
