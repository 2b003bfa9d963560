"""What one layer keeps: rows, where they come from, and the changes made between two calls."""

from collections.abc import Iterable, Sequence
from typing import Any

import mlx.core as mx
import numpy as np

from velox_core.guards import Guards, positions_set
from velox_core.policies.base import Kept, keep_highest
from velox_core.positions import Rotation, Spans
from velox_core.rows import GUARD, RowBuffer, padded


class KeptRows:
    """Rows within a budget, their positions, and the newest step's scores.

    Attributes:
        budget: Most rows held after a call, for each KV head.
        guards: The positions that are never dropped.
        offset: Tokens ever seen; the next token's RoPE position.
        rotation: How keys are moved to other positions.
        spans: Where keys are rotated to, and when they have to move.
    """

    def __init__(self, budget: int, n_sink: int) -> None:
        self.budget = budget
        self.guards = Guards(n_sink)
        self.offset = 0
        self._rows = RowBuffer()
        self._scores: mx.array | None = None
        self.rotation = Rotation()
        self.spans = Spans()

    def size(self) -> int:
        """Rows held, for each KV head; at most the budget."""
        return self._rows.n

    def empty(self) -> bool:
        """Whether no row was ever taken in."""
        return self._rows.keys is None

    @property
    def keys(self) -> mx.array | None:
        """Keys held, ``(1, n_kv_heads, size(), D)`` in temporal order, or None."""
        return None if self.empty() else self._rows.in_time()[0]

    @property
    def values(self) -> mx.array | None:
        """Values held, ``(1, n_kv_heads, size(), D)`` in temporal order, or None."""
        return None if self.empty() else self._rows.in_time()[1]

    @property
    def n_sink(self) -> int:
        """How many of the first positions are never dropped."""
        return self.guards.n_sink

    @property
    def protected(self) -> frozenset[int]:
        """Positions protected on top of the sinks."""
        return self.guards.protected

    @property
    def positions(self) -> mx.array:
        """The kept tokens' positions, ``(n_kv_heads, size())`` int32, ascending in each head."""
        self._settle()
        if self._rows.keys is None:
            return mx.zeros((0, 0), mx.int32)
        return (self._order() & (GUARD - 1))[0, :, 0]

    def slots(self) -> tuple[mx.array, mx.array | None]:
        """The positions slot by slot, in no order, which costs nothing to find out.

        Returns:
            Positions ``(n_kv_heads, slots)`` int32, and for each head the one slot that holds no
            row, ``(n_kv_heads, 1)``, or None where all do.
        """
        self._settle()
        free = self._rows.free
        if free is None:
            return self.positions, None
        return (self._rows.order & (GUARD - 1))[0, :, 0], free[0, :, 0]

    @property
    def rotation_positions(self) -> mx.array:
        """The positions the kept keys are rotated to, ``(n_kv_heads, size())`` int32."""
        return mx.array(self.spans.rotation_positions(np.array(self.positions)))

    def resize(self, budget: int, n_sink: int | None = None) -> None:
        """Change the budget, and the sinks unless ``n_sink`` is None.

        Shrinking acts at once, by the newest step's scores. Growing leaves room for what comes; it
        cannot bring back what was dropped. Raising ``n_sink`` guards those of the first positions
        that are still held.

        Raises:
            ConfigError: Out of range, or sinks and protected positions fill the budget.
        """
        self._rearrange(budget, Guards(self.n_sink if n_sink is None else n_sink, self.protected))

    def protect(self, positions: Iterable[int]) -> None:
        """Never drop these positions, held now or still to come; dropped ones stay dropped.

        Raises:
            ConfigError: They and the sinks fill the budget, or one is negative.
        """
        protected = self.protected | positions_set(positions)
        self._rearrange(self.budget, Guards(self.n_sink, protected))

    def unprotect(self, positions: Iterable[int] | None = None) -> None:
        """Protect these positions no longer; all of them if None."""
        gone = self.protected if positions is None else positions_set(positions)
        self._rearrange(self.budget, Guards(self.n_sink, self.protected - gone))

    def tidy(self) -> None:
        """Put the rows in temporal order, as ``state`` shows them. Changes no choice."""
        self._settle()
        if not self.empty() and self._rows.by_time() is not None:
            scores = None if self._scores is None else self._sorted(self._scores)
            self._take_over(*self._rows.in_time(), self._order(), scores)

    def _settle(self) -> None:
        """Finish a call whose choice is still due; the mechanism knows how."""
        raise NotImplementedError

    def _newest_scores(self) -> mx.array | None:
        """The newest step's scores of the rows in temporal order; the mechanism knows how."""
        raise NotImplementedError

    def _rearrange(self, budget: int, guards: Guards) -> None:
        """Bring the rows in line with a new budget and new guards."""
        guards.check(budget)
        self._settle()
        if self._rows.keys is None:
            self.budget, self.guards = budget, guards
            return
        keys, values = self._rows.in_time()
        positions = np.array(self._order() & (GUARD - 1))
        scores = self._newest_scores()
        self.budget, self.guards = budget, guards
        self._take_over(keys, values, mx.array(guards.flagged(positions)), scores)

    def _move_up(self) -> None:
        """Rotate the rows to the positions just before the next token's."""
        by = self.spans.move(np.array(self.positions), self.offset)
        keys, values = self._rows.in_time()
        order, scores = self._order(), self._newest_scores()
        self._take_over(self.rotation.moved(keys, mx.array(by)), values, order, scores)

    def _take_over(
        self, keys: mx.array, values: mx.array, order: mx.array, scores: mx.array | None
    ) -> None:
        """Hold these rows, which are in temporal order, or as many as the budget allows."""
        n = keys.shape[2]
        if n > self.budget:
            self._keep(keys, values, order, keep_highest(scores, order >= GUARD, self.budget))
        elif n == self.budget and self.offset > n:
            self._rows.become_full(padded(keys, 2), padded(values, 2), padded(order, 3))
            self._scores = None if scores is None else padded(scores, 3)
        else:
            self._rows.become_filling(keys, values, order)
            self._scores = scores

    def _keep(self, keys: mx.array, values: mx.array, order: mx.array, kept: Kept) -> None:
        """Hold exactly the rows ``kept`` of the given ones, which are in temporal order."""
        index = padded(kept.index, 2)[..., None]
        order = mx.take_along_axis(order, kept.index[:, :, None], axis=3)
        self._rows.become_full(
            mx.take_along_axis(keys, index, axis=2),
            mx.take_along_axis(values, index, axis=2),
            padded(order, 3),
        )
        self._scores = None if kept.scores is None else padded(kept.scores, 3)

    def _order(self) -> mx.array:
        """Order of the rows in temporal order: ``(1, n_kv_heads, 1, size())`` int32."""
        rows = self._rows
        n_heads = rows.keys.shape[1]
        if rows.order is None:
            return self.guards.order(self.offset - rows.n, self.offset, n_heads)
        known = self._sorted(rows.order)
        missing = rows.n - known.shape[-1]
        if not missing:
            return known
        newer = self.guards.order(self.offset - missing, self.offset, n_heads)
        return mx.concatenate([known, newer], axis=-1)

    def _sorted(self, notes: mx.array) -> mx.array:
        """Notes slot by slot, ``(1, n_kv_heads, 1, capacity)``, in temporal order."""
        slots = self._rows.by_time()
        if slots is None:
            return notes[..., : self._rows.n]
        return mx.take_along_axis(notes, slots[:, :, None], axis=3)

    def _kept_state(self) -> tuple[Any, ...]:
        """Rows in temporal order, guards and positions, as arrays and scalars."""
        keys = values = order = scores = table = None
        if not self.empty():
            keys, values = self._rows.in_time()
            order = self._order()
            scores = None if self._scores is None else self._sorted(self._scores)
        if self.spans.table is not None:
            table = mx.array(self.spans.table)
        protected = ",".join(str(position) for position in sorted(self.protected))
        arrays = (keys, values, order, scores, table)
        places = (self.offset, self.spans.base, self.spans.moved_at)
        return (*arrays, *places, self.budget, self.n_sink, protected)

    def _restore_kept(self, state: Sequence[Any]) -> None:
        """Take over what :meth:`_kept_state` gave; how to move keys stays as it was."""
        keys, values, order, scores, table, offset, base, moved_at, *limits = state
        budget, n_sink, protected = limits
        rotation = getattr(self, "rotation", Rotation())
        window = getattr(self, "spans", Spans()).window
        KeptRows.__init__(self, budget, n_sink)
        self.rotation, self.offset = rotation, offset
        self.spans = Spans(window, base, moved_at, None if table is None else np.array(table))
        self.guards.protected = frozenset(int(p) for p in protected.split(",") if p)
        if keys is not None:
            self._take_over(keys, values, order, scores)

    @property
    def nbytes(self) -> int:
        """Bytes of every array held, spare slots and notes included."""
        notes = (self._scores, self.spans.table)
        return self._rows.nbytes + sum(x.nbytes for x in notes if x is not None)

    @property
    def tokens_kept(self) -> int:
        """Rows held, for each KV head."""
        return self.size()

    @property
    def tokens_seen(self) -> int:
        """Rows ever taken in, over all KV heads (``B * n_kv_heads * offset``)."""
        return self.offset * self._n_kv_heads

    @property
    def kept_bytes(self) -> int:
        """Bytes of the rows held, K and V, in their own dtype."""
        return self.size() * self._row_bytes

    @property
    def full_seq_bytes(self) -> int:
        """Bytes that a cache without a budget would need for the tokens seen."""
        return self.offset * self._row_bytes

    @property
    def compression_ratio(self) -> float:
        """Full bytes over kept bytes; 1 while nothing was dropped."""
        return self.offset / self.size() if self.size() else 1.0

    @property
    def _n_kv_heads(self) -> int:
        return 0 if self._rows.keys is None else self._rows.keys.shape[1]

    @property
    def _row_bytes(self) -> int:
        """One token's K and V over all KV heads."""
        parts = (self._rows.keys, self._rows.values)
        return sum(x.nbytes // x.shape[2] for x in parts if x is not None)
