"""What an eviction policy is: it scores the rows a cache holds, the lowest is dropped."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import mlx.core as mx

Signal = Literal["query", "key", "none"]
"""What a policy scores by: the newest query, every incoming key in turn, or neither."""

LOWEST: float = -3.4e38
"""Score of a row that is NaN: below every real score, so that it goes first."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows a policy scores, of one layer (B is always 1).

    Attributes:
        keys: ``(1, n_kv_heads, L, D)``, rotated as attention sees them.
        values: ``(1, n_kv_heads, L, D)``.
        newest_key: ``(1, n_kv_heads, 1, D)``, the key of the newest token; it is among ``keys``.
        weights: ``(1, n_kv_heads, 1, L)`` fp32: the newest query's attention, averaged over the
            query heads that share a KV head. Only there for the signal ``"query"``.
    """

    keys: mx.array
    values: mx.array
    newest_key: mx.array
    weights: mx.array | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """What a policy keeps of more rows than the budget.

    Attributes:
        index: ``(1, n_kv_heads, budget)``, ascending row numbers, one set for each KV head.
        scores: ``(1, n_kv_heads, 1, budget)`` fp32, the newest step's scores of those rows, or
            None where all are equal.
    """

    index: mx.array
    scores: mx.array | None


class EvictionPolicy(ABC):
    """Scores rows. Ties go to the lowest position; guarded rows are the cache's business.

    A policy is stateless: all that it sees is the current step.

    Attributes:
        name: What ``KVCacheConfig.method`` calls it.
        signals: The signals it can use, the preferred one first.
        signal: The one it uses now.
    """

    name: ClassVar[str]
    signals: ClassVar[tuple[Signal, ...]]

    def __init__(self, signal: str) -> None:
        self.signal: Signal = next((s for s in self.signals if s == signal), self.signals[0])

    @abstractmethod
    def score(self, rows: Rows) -> mx.array | None:
        """Score every row for one newest token.

        Returns:
            ``(1, n_kv_heads, 1, L)`` fp32, lowest dropped first, or None if all rows are equal
            (then the oldest goes). For the signal ``"query"`` NaN may come in and go out.
        """

    def keep(self, rows: Rows, n_new: int, guarded: mx.array, budget: int) -> Kept:
        """Choose ``budget`` of ``rows``, which are in temporal order, for each KV head.

        Args:
            rows: All rows, the ``n_new`` newest last.
            n_new: How many rows came with this call.
            guarded: ``(1, n_kv_heads, 1, L)`` bool: rows that must stay.
            budget: How many rows to keep.
        """
        return keep_highest(self.score(rows), guarded, budget)


def keep_highest(scores: mx.array | None, guarded: mx.array, budget: int) -> Kept:
    """Keep the ``budget`` highest scores; of equal ones the newest, of NaN ones the newest too.

    Args:
        scores: ``(1, n_kv_heads, 1, L)`` fp32 in temporal order, or None if all are equal.
        guarded: ``(1, n_kv_heads, 1, L)`` bool: rows that must stay.
        budget: How many rows to keep for each KV head.
    """
    length = guarded.shape[-1]
    ranked = mx.zeros(guarded.shape) if scores is None else scores
    ranked = mx.where(mx.isnan(ranked), LOWEST, ranked)
    ranked = mx.where(guarded, mx.inf, ranked)
    # The sort is stable and rows are in temporal order: of equal scores the oldest go first.
    best = mx.argsort(ranked, axis=-1)[..., length - budget :]
    index = mx.sort(best, axis=-1)
    kept = None if scores is None else mx.take_along_axis(scores, index, axis=-1)
    return Kept(index.squeeze(2), kept)
