"""The key and value rows of one layer, in one buffer that decode never copies.

While the budget is not full, rows stand in temporal order in slots ``0 … n - 1``. From then on
the buffer has exactly one slot more than rows: the slot of the row dropped last (one for each KV
head) takes the next token. Attention does not care about the order of rows once keys are rotated.

Every write makes a new array (mlx donates the old one's memory when nobody else holds it), so a
copy that shares arrays is a snapshot.
"""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import mlx.core as mx

STEP = 256
"""Slots are added this many at a time while the budget is not full."""

GUARD = 1 << 30
"""Added to the order of a row that must stay. Positions stay below it."""


@dataclass(slots=True)
class RowBuffer:
    """Rows of one layer and where they came from.

    Attributes:
        keys: ``(1, n_kv_heads, capacity, D)``, or None before the first row.
        values: ``(1, n_kv_heads, capacity, D)``.
        order: ``(1, n_kv_heads, 1, m)`` int32: each row's position, plus :data:`GUARD` for rows
            that must stay. While the buffer is not full ``m`` may be less than ``n``: the rows
            after it hold the positions up to the newest.
        guard: ``(1, n_kv_heads, 1, capacity)`` fp32, infinite for rows that must stay, else 0.
            Only while the buffer is full.
        free: ``(1, n_kv_heads, 1, 1)``, the slot that takes the next row, once the buffer is full.
        n: Rows held, for each KV head.
        temporal: Whether slots ``0 … n - 1`` hold the rows in temporal order.
    """

    keys: Any = None
    values: Any = None
    order: Any = None
    guard: Any = None
    free: Any = None
    n: int = 0
    temporal: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of every array held, spare slots included."""
        held = (getattr(self, field.name) for field in fields(self))
        return sum(x.nbytes for x in held if isinstance(x, mx.array))

    def append(self, keys: mx.array, values: mx.array, limit: int) -> None:
        """Write rows behind the last one.

        Args:
            keys: ``(1, n_kv_heads, S, D)`` with ``n + S ≤ limit``.
            values: ``(1, n_kv_heads, S, D)``.
            limit: Most slots that are ever needed: the budget plus one.
        """
        end = self.n + keys.shape[2]
        if self.keys is None or end > self.keys.shape[2]:
            capacity = min(-(-end // STEP) * STEP, limit)
            self.keys = _with_room(self.keys, keys, self.n, capacity)
            self.values = _with_room(self.values, values, self.n, capacity)
        self.keys = _written(self.keys, keys, self.n)
        self.values = _written(self.values, values, self.n)
        self.n = end

    def replace(self, keys: mx.array, values: mx.array, order: mx.array) -> None:
        """Write one row for each KV head into its free slot.

        Args:
            keys: ``(1, n_kv_heads, 1, D)``.
            values: ``(1, n_kv_heads, 1, D)``.
            order: ``(1, n_kv_heads, 1, 1)`` int32.
        """
        slot = mx.broadcast_to(self.free, keys.shape)
        self.keys = mx.put_along_axis(self.keys, slot, keys, axis=2)
        if values.shape != keys.shape:
            slot = mx.broadcast_to(self.free, values.shape)
        self.values = mx.put_along_axis(self.values, slot, values, axis=2)
        self.order = mx.put_along_axis(self.order, self.free, order, axis=3)

    def drop(self, scores: mx.array | None) -> None:
        """Free the slot of the row with the lowest score, of equal ones the lowest position.

        Args:
            scores: ``(1, n_kv_heads, 1, capacity)`` fp32, or None if all are equal.
        """
        order = self.order
        if scores is not None:
            scores = scores + self.guard
            lowest = mx.min(scores, axis=-1, keepdims=True)
            # Not "scores <= lowest": where all scores are NaN, all rows are candidates.
            order = mx.where(scores > lowest, _last_of_all(order.shape), order)
        self.free = mx.argmin(order, axis=-1, keepdims=True)
        self.temporal = False

    def become_full(self, keys: mx.array, values: mx.array, order: mx.array) -> None:
        """Take over buffers of the budget plus one slots, in temporal order.

        Args:
            keys: ``(1, n_kv_heads, n + 1, D)``; what the last slot holds does not matter.
            values: ``(1, n_kv_heads, n + 1, D)``.
            order: ``(1, n_kv_heads, 1, n + 1)`` int32.
        """
        self.keys, self.values = keys, values
        self.n = keys.shape[2] - 1
        self.free = mx.full((1, keys.shape[1], 1, 1), self.n, mx.uint32)
        self.temporal = True
        self.set_order(order)

    def become_filling(self, keys: mx.array, values: mx.array, order: mx.array) -> None:
        """Take over rows in temporal order that leave room in the budget (shapes as above)."""
        self.keys, self.values = keys, values
        self.n = keys.shape[2]
        self.free = self.guard = None
        self.temporal = True
        self.order = order

    def set_order(self, order: mx.array) -> None:
        """Set positions and guards of a full buffer's slots."""
        self.order = order
        self.guard = mx.where(order >= GUARD, mx.inf, 0.0)

    def by_time(self) -> mx.array | None:
        """Slots in temporal order, ``(1, n_kv_heads, n)``, or None if they stand so already."""
        if self.temporal:
            return None
        positions = self.order & (GUARD - 1)
        slots = mx.arange(positions.shape[-1], dtype=mx.uint32)
        positions = mx.where(slots == self.free, GUARD, positions)
        return mx.argsort(positions, axis=-1)[:, :, 0, : self.n]

    def in_time(self) -> tuple[mx.array, mx.array]:
        """The rows held in temporal order: keys and values ``(1, n_kv_heads, n, D)``."""
        slots = self.by_time()
        return self.pick(self.keys, slots), self.pick(self.values, slots)

    def pick(self, rows: mx.array, slots: mx.array | None) -> mx.array:
        """Take ``slots`` of ``rows`` (slots on axis 2), or the first ``n`` if None."""
        if slots is not None:
            return mx.take_along_axis(rows, slots[..., None], axis=2)
        return rows if rows.shape[2] == self.n else rows[:, :, : self.n]


@lru_cache
def _last_of_all(shape: tuple[int, ...]) -> mx.array:
    """An order behind every unguarded row's, seen as ``shape``; one number in memory."""
    order = mx.broadcast_to(mx.array(GUARD - 1, mx.int32), shape)
    # Evaluated here: the cached array may be used on another thread, which has not its stream.
    mx.eval(order)
    return order


def padded(rows: mx.array, axis: int) -> mx.array:
    """``rows`` with one more slot on ``axis``, its content of no matter."""
    spare = mx.zeros([1 if i == axis else n for i, n in enumerate(rows.shape)], rows.dtype)
    return mx.concatenate([rows, spare], axis=axis)


def _with_room(rows: mx.array | None, new: mx.array, n: int, capacity: int) -> mx.array:
    """A buffer of ``capacity`` slots that begins with the ``n`` first of ``rows``."""
    _, n_heads, _, width = new.shape
    if rows is None:
        return mx.zeros((1, n_heads, capacity, width), new.dtype)
    spare = mx.zeros((1, n_heads, capacity - n, width), rows.dtype)
    return mx.concatenate([rows[:, :, :n], spare], axis=2)


def _written(rows: mx.array, new: mx.array, at: int) -> mx.array:
    """``rows`` with ``new`` at slot ``at``. Assignment would change snapshots' arrays too."""
    handle = mx.array(rows)
    handle[:, :, at : at + new.shape[2]] = new
    return handle
