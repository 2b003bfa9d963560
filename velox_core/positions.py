"""Endless conversations: kept keys are re-rotated so that distances stay in the trained window.

The cache is small but positions grow for ever, and a model falls apart once a query is further
from a kept key than it was trained for. RoPE attention depends on differences of positions only,
so when the oldest kept row is too far behind, the rows are rotated *up* to the positions just
before the next token: sinks first, order kept, no gaps. The distances are those of StreamingLLM's
positions inside the cache (Xiao et al. 2023, arXiv:2309.17453, section 3.2), but ``offset`` stays
the true count, and layers of the same model that keep their own cache notice nothing.

A row's rotation position is its own number; its true position is what :mod:`velox_core.kept`
reports. Angles are fp32 in mlx: at a million tokens a score is off by about 0.3 %.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rotation:
    """How to move one layer's rotated keys to other positions.

    Attributes:
        rope: The model's own rope, ``rope(x, offset=…)``; None if the layer has no positions.
    """

    rope: Callable[..., mx.array] | None = None

    def moved(self, keys: mx.array, by: mx.array) -> mx.array:
        """Rotate each row by so many positions more.

        Args:
            keys: ``(1, n_kv_heads, L, D)``, rotated already.
            by: ``(n_kv_heads, L)`` int32.

        Returns:
            ``(1, n_kv_heads, L, D)`` in the dtype of ``keys``.
        """
        if self.rope is None:
            return keys
        # An offset for each row: rows take the place of the batch.
        rows = keys.astype(mx.float32).reshape(-1, 1, 1, keys.shape[3])
        # Some ropes (yarn, longrope) also scale; a row that is rotated already was scaled once.
        scaled = self.rope(mx.ones((1, 1, 1, keys.shape[3])), offset=0)
        moved = self.rope(rows / scaled, offset=by.reshape(-1))
        return moved.reshape(keys.shape).astype(keys.dtype)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        return self


@dataclass(slots=True)
class Spans:
    """When to move rows and where they are then.

    Attributes:
        window: Tokens the model was trained for, or None: rows are never moved.
        base: No kept row is rotated to a position below it.
        moved_at: ``offset`` when rows were moved last; 0 if never.
        table: ``(n_kv_heads, n)`` int32, the true positions moved then, ascending; row ``i`` of
            them went to ``base + i``.
    """

    window: int | None = None
    base: int = 0
    moved_at: int = 0
    table: NDArray[np.int32] | None = None

    def due(self, offset: int, n_new: int, n_kept: int, budget: int) -> bool:
        """Whether rows must move before ``n_new`` more come.

        The limit is half the window (measured: no loss), or twice the budget where that is more,
        or at most the window. Gaps below a quarter of the rows are not worth a move.
        """
        if self.window is None or n_kept == 0:
            return False
        limit = max(self.window // 2, min(self.window, 2 * budget))
        gaps = offset - self.base - n_kept
        return offset + n_new - self.base > limit and gaps > n_kept // 4

    def rotation_positions(self, positions: NDArray[np.int32]) -> NDArray[np.int32]:
        """Where rows of these true positions ``(n_kv_heads, L)`` are rotated to."""
        if self.table is None:
            return positions
        ranks = [
            np.searchsorted(known, held) for known, held in zip(self.table, positions, strict=True)
        ]
        moved = self.base + np.stack(ranks).astype(np.int32)
        return np.where(positions >= self.moved_at, positions, moved)

    def move(self, positions: NDArray[np.int32], offset: int) -> NDArray[np.int32]:
        """Note that all rows go to the positions just before ``offset``; returns how far each."""
        n = positions.shape[1]
        target = np.arange(offset - n, offset, dtype=np.int32)
        by = target - self.rotation_positions(positions)
        self.base, self.moved_at, self.table = offset - n, offset, positions
        return by
