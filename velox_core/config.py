"""One frozen, validated description of a bounded KV cache."""

from collections.abc import Iterable
from dataclasses import dataclass

from velox_core.errors import ConfigError
from velox_core.policies import POLICIES


@dataclass(frozen=True, slots=True)
class KVCacheConfig:
    """How a KV cache is bounded. Checked when built, so a bad value never reaches a conversation.

    Attributes:
        method: The eviction policy, a name in :data:`velox_core.policies.POLICIES`.
        head_dim: Width D of a key row. Informational: the cache takes what the model gives it.
        tova_budget: Most tokens a layer keeps, sinks included. At least 1.
        tova_n_sink: How many of the first positions are never dropped; below ``tova_budget``.
        tova_signal: What stands for "the attention of the current step": ``"query"``, the newest
            query's true attention as in the paper, or ``"key"``, the incoming key in its place.
            Policies that need no signal ignore it.
        endless: Whether kept keys are re-rotated before a conversation leaves the model's trained
            window (see :mod:`velox_core.positions`). Takes effect through
            :meth:`velox_core.KVCacheBuilder.for_model` only.

    Raises:
        ConfigError: A field is out of range; the message names it and what is allowed. It is a
            ``ValueError`` too.
    """

    method: str = "tova"
    head_dim: int | None = None
    tova_budget: int = 512
    tova_n_sink: int = 4
    tova_signal: str = "query"
    endless: bool = True

    def __post_init__(self) -> None:
        if self.method not in POLICIES:
            raise ConfigError(f"method must be one of {_listed(POLICIES)}, not {self.method!r}.")
        signals = ("query", "key")
        if self.tova_signal not in signals:
            raise ConfigError(
                f"tova_signal must be one of {_listed(signals)}, not {self.tova_signal!r}."
            )
        if self.head_dim is not None and (not _is_int(self.head_dim) or self.head_dim < 1):
            raise ConfigError(
                f"head_dim must be a whole number of at least 1, not {self.head_dim!r}."
            )
        check_budget(self.tova_budget, self.tova_n_sink)


def check_budget(budget: int, n_sink: int) -> None:
    """Check a budget and a number of sinks, both in tokens per layer.

    Raises:
        ConfigError: ``budget`` is below 1, or ``n_sink`` is not in ``0 … budget - 1``.
    """
    if not _is_int(budget) or budget < 1:
        raise ConfigError(f"tova_budget must be a whole number of at least 1, not {budget!r}.")
    if not _is_int(n_sink) or not 0 <= n_sink < budget:
        raise ConfigError(
            f"tova_n_sink must be a whole number from 0 to {budget - 1} "
            f"(below tova_budget), not {n_sink!r}."
        )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
