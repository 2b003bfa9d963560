"""Measuring side by side: alternation, medians, ratios and confidence intervals."""

import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

Timed = Callable[[], float]


def seconds(work: Callable[[], object]) -> float:
    """How long ``work`` took, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(sides: Mapping[str, Timed], rounds: int) -> dict[str, list[float]]:
    """Run all ``sides`` in turn, ``rounds`` times, so that a drifting machine hits all alike.

    Args:
        sides: Name → a function that does one round and returns its figure.
        rounds: How often.

    Returns:
        Name → its figures in the order of the rounds.
    """
    figures: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds):
        # Each round starts with another side: none always runs after the same neighbour.
        names = list(sides)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            figures[name].append(sides[name]())
    return figures


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios of paired rounds."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def mean_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float, float]:
    """Mean of ``values`` with its bootstrap confidence interval: (mean, low, high)."""
    chooser = random.Random(0)
    means = sorted(statistics.fmean(chooser.choices(values, k=len(values))) for _ in range(2000))
    cut = int(len(means) * (1 - level) / 2)
    return statistics.fmean(values), means[cut], means[-1 - cut]
