"""Which positions are never dropped: the sinks and what a person protected."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from velox_core.config import check_budget
from velox_core.errors import ConfigError
from velox_core.rows import GUARD


@dataclass(slots=True)
class Guards:
    """The first ``n_sink`` positions and the positions in ``protected``."""

    n_sink: int
    protected: frozenset[int] = field(default_factory=frozenset)

    def check(self, budget: int) -> None:
        """Check that something can still be dropped.

        Raises:
            ConfigError: Sinks and protected positions fill the budget.
        """
        check_budget(budget, self.n_sink)
        extra = sum(1 for position in self.protected if position >= self.n_sink)
        if self.n_sink + extra >= budget:
            raise ConfigError(
                f"{extra} protected tokens and {self.n_sink} sinks do not fit below the budget "
                f"of {budget}; protect fewer or raise the budget."
            )

    def holds(self, position: int) -> bool:
        """Whether ``position`` must stay."""
        return position < self.n_sink or position in self.protected

    def order(self, start: int, stop: int, n_heads: int) -> mx.array:
        """Order of the positions ``start … stop - 1``: ``(1, n_heads, 1, stop - start)`` int32."""
        order = self.flagged(np.arange(start, stop, dtype=np.int32))
        return mx.broadcast_to(mx.array(order), (1, n_heads, 1, stop - start))

    def flagged(self, positions: NDArray[np.int32]) -> NDArray[np.int32]:
        """Positions with :data:`velox_core.rows.GUARD` added to those that must stay."""
        stay = positions < self.n_sink
        if self.protected:
            stay |= np.isin(positions, np.fromiter(self.protected, np.int32))
        return np.where(stay, positions + GUARD, positions)


def positions_set(positions: Iterable[int]) -> frozenset[int]:
    """The positions as a set.

    Raises:
        ConfigError: One is negative.
    """
    chosen = frozenset(int(position) for position in positions)
    if any(position < 0 for position in chosen):
        raise ConfigError("Positions count from 0; a negative one cannot be protected.")
    return chosen
