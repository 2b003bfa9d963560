"""One call of a bounded cache: take rows in, attend, let the policy drop what is over budget."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx

from velox_core.attention import attend_newest, newest_weights
from velox_core.config import KVCacheConfig
from velox_core.errors import CacheError
from velox_core.kept import KeptRows
from velox_core.policies import load_policy
from velox_core.policies.base import Rows
from velox_core.rows import GUARD

log = logging.getLogger(__name__)

NO_QUERIES = (
    "This model's attention does not show its queries, so the memory goes by keys instead; "
    "expect lower quality at small budgets."
)


@dataclass(slots=True)
class _Pending:
    """Rows attended to in full in this call, of which the policy has yet to choose.

    ``order`` is None where the rows are the buffer itself and exactly one must go.
    """

    keys: mx.array
    values: mx.array
    newest_key: mx.array
    n_new: int
    order: mx.array | None


class EvictionSteps(KeptRows):
    """Rows that a policy keeps within their budget, call by call.

    Args:
        config: Budget, sinks, policy and signal.
        hooked: Whether the model's attention shows this cache its queries (see
            :mod:`velox_core.attention`). Without, the signal is ``"key"``.

    Attributes:
        method: The policy's name.
        policy: What chooses the rows to drop.
        notice: One sentence for people if the cache had to fall back to ``"key"``, else None.
        keeps_attended: Whether all that a call attended to is held until the next one, for layers
            that ask for it again. Costs a chunk of memory during prefill.
    """

    def __init__(self, config: KVCacheConfig, *, hooked: bool = False) -> None:
        super().__init__(config.tova_budget, config.tova_n_sink)
        self.method = config.method
        self.policy = load_policy(config.method, config.tova_signal if hooked else "key")
        self.notice: str | None = None
        self.keeps_attended = True
        self._begin()

    def _begin(self) -> None:
        self._pending: _Pending | None = None
        self._query_due = False
        self._attended: tuple[mx.array, mx.array] | None = None
        # The newest query (scaled) and its learned sinks: scores can be had from it when needed.
        self._query: mx.array | None = None
        self._sinks: mx.array | None = None

    @property
    def signal(self) -> str:
        """What the policy scores by now: ``"query"``, ``"key"`` or ``"none"``."""
        return self.policy.signal

    @property
    def wants_query(self) -> bool:
        """Whether this step's attention has to come through :meth:`attend`."""
        return self._query_due

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Take new rows in; return all rows that this call attends to.

        Args:
            keys: ``(1, n_kv_heads, S, D)``, rotated to positions ``offset … offset + S - 1``.
            values: ``(1, n_kv_heads, S, D)``.

        Returns:
            Keys and values ``(1, n_kv_heads, L, D)``: what was kept before, then the new rows
            (for ``S = 1`` at the budget in any order).

        Raises:
            CacheError: The batch size is not 1, or the shapes do not fit what is held.
        """
        self._check(keys, values)
        self._settle()
        self._attended = None
        rows, n_new = self._rows, keys.shape[2]
        if n_new == 0:
            return (keys, values) if self.empty() else rows.in_time()
        if self.spans.due(self.offset, n_new, rows.n, self.budget):
            self._move_up()
        if rows.keys is not None:
            keys, values = keys.astype(rows.keys.dtype), values.astype(rows.values.dtype)
        if rows.n + n_new <= self.budget:
            rows.append(keys, values, self.budget + 1)
            self._scores = self._query = None
            attended = rows.in_time()
        elif n_new == 1:
            attended = self._take_one(keys, values)
        else:
            attended = self._take_chunk(keys, values)
        self.offset += n_new
        self._query_due = self.signal == "query"
        if self._pending is not None and not self._query_due:
            self._choose(self._pending, None)
        if self.keeps_attended:
            self._attended = attended
        return attended

    def _check(self, keys: mx.array, values: mx.array) -> None:
        if keys.ndim != 4 or keys.shape[0] != 1:
            raise CacheError(
                f"A bounded cache serves one conversation (batch size 1), not {keys.shape[0]}."
            )
        if keys.shape[:3] != values.shape[:3]:
            raise CacheError(f"Keys {keys.shape} and values {values.shape} do not belong together.")
        held = self._rows.keys
        if held is not None and (held.shape[1], held.shape[3]) != (keys.shape[1], keys.shape[3]):
            raise CacheError(f"Keys {keys.shape} do not fit the {held.shape} held.")

    def _take_one(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Put one token where the row dropped last was."""
        rows, n_heads = self._rows, keys.shape[1]
        if rows.free is None:
            newest = self.guards.order(self.offset, self.offset + 1, n_heads)
            order = mx.concatenate([self._order(), newest], axis=-1)
            rows.append(keys, values, self.budget + 1)
            rows.become_full(rows.keys, rows.values, order)
        else:
            stays = self.guards.holds(self.offset)
            place = self.offset + GUARD if stays else self.offset
            rows.replace(keys, values, mx.array([[[[place]]] * n_heads], mx.int32))
            if stays:
                rows.set_order(rows.order)
        self._pending = _Pending(rows.keys, rows.values, keys, 1, None)
        return rows.keys, rows.values

    def _take_chunk(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Line up what is held and the new rows, to be chosen from after attention."""
        newest, n_new = keys[:, :, -1:], keys.shape[2]
        order = self.guards.order(self.offset, self.offset + n_new, keys.shape[1])
        if self._rows.n:
            held = self._rows.in_time()
            order = mx.concatenate([self._order(), order], axis=-1)
            keys = mx.concatenate([held[0], keys], axis=2)
            values = mx.concatenate([held[1], values], axis=2)
        self._pending = _Pending(keys, values, newest, n_new, order)
        return keys, values

    def attend(
        self,
        queries: mx.array,
        keys: mx.array,
        values: mx.array,
        scale: float,
        mask: mx.array | str | None,
        sinks: mx.array | None,
        native: Callable[[], mx.array],
    ) -> mx.array:
        """Attend with the true queries, then let the policy choose by the newest one's weights.

        Args:
            queries: ``(1, n_heads, S, D)``.
            keys: What :meth:`update_and_fetch` returned.
            values: What :meth:`update_and_fetch` returned.
            scale: What products are multiplied by.
            mask: As mlx-lm's attention takes it.
            sinks: ``(n_heads,)`` logits of learned attention sinks, or None.
            native: Runs the attention that the hook replaced.

        Returns:
            The output ``(1, n_heads, S, D)``.
        """
        self._query_due = False
        pending = self._pending
        if pending is None:
            # Scaled: an array of its own, which does not hold on to the whole chunk's.
            self._query, self._sinks = queries[:, :, -1:] * scale, sinks
            return native()
        if mask is None and queries.shape[2] == 1:
            output, weights = attend_newest(queries, keys, values, scale, sinks)
        else:
            output = native()
            weights = newest_weights(queries, keys, scale, sinks, mask)
        self._choose(pending, weights)
        return output

    def _choose(self, pending: _Pending, weights: mx.array | None) -> None:
        """Let the policy drop what is over budget."""
        self._pending = self._query = None
        rows = Rows(pending.keys, pending.values, pending.newest_key, weights)
        if pending.order is None:
            self._scores = self.policy.score(rows)
            self._rows.drop(self._scores)
        else:
            kept = self.policy.keep(rows, pending.n_new, pending.order >= GUARD, self.budget)
            self._keep(pending.keys, pending.values, pending.order, kept)

    def _settle(self) -> None:
        """Go on by the key signal if the queries of the last call never came."""
        if not self._query_due:
            return
        self._query_due = False
        self.notice = NO_QUERIES
        log.warning(NO_QUERIES)
        self.policy = load_policy(self.method, "key")
        if self._pending is not None:
            self._choose(self._pending, None)

    def _newest_scores(self) -> mx.array | None:
        if self._scores is not None:
            return self._sorted(self._scores)
        if self.signal == "none" or (self.signal == "query" and self._query is None):
            return None
        keys, values = self._rows.in_time()
        weights = None
        if self._query is not None:
            weights = newest_weights(self._query, keys, 1.0, self._sinks, None)
        return self.policy.score(Rows(keys, values, keys[:, :, -1:], weights))
