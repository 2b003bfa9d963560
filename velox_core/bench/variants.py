"""The caches that are compared, each under the name that tables and charts show."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from mlx_lm.models.cache import KVCache, RotatingKVCache

from velox_core.builder import KVCacheBuilder
from velox_core.config import KVCacheConfig

Caches = Sequence[Any]
Maker = Callable[[Any, int], Caches]

REFERENCE = "reference TOVA"
N_SINK = 4


def unbounded(model: Any, _budget: int) -> Caches:
    """mlx-lm's growing cache, whatever the budget."""
    return [KVCache() for _ in model.layers]


def rotating(model: Any, budget: int) -> Caches:
    """mlx-lm's RotatingKVCache: the first rows and a recent window."""
    return [RotatingKVCache(max_size=budget, keep=N_SINK) for _ in model.layers]


def bounded(method: str, signal: str = "query", *, endless: bool = False) -> Maker:
    """A maker of this library's caches."""

    def make(model: Any, budget: int) -> Caches:
        config = KVCacheConfig(
            method=method,
            tova_budget=budget,
            tova_n_sink=min(N_SINK, budget - 1),
            tova_signal=signal,
            endless=endless,
        )
        return KVCacheBuilder.for_model(model, config)

    return make


def reference(model: Any, budget: int) -> Caches:
    """The TOVA of the package ``veloxquant-mlx``, if that is installed."""
    package = importlib.import_module("veloxquant_mlx")
    config = package.KVCacheConfig(
        method="tova",
        head_dim=model.args.head_dim or model.args.hidden_size // model.args.num_attention_heads,
        tova_budget=budget,
        tova_n_sink=min(N_SINK, budget - 1),
    )
    return list(package.KVCacheBuilder.for_model(model, config))


POLICIES: dict[str, Maker] = {
    "sink + window": bounded("streaming_llm"),
    '"key"': bounded("tova", "key"),
    '"query"': bounded("tova", "query"),
}
"""What the quality benchmarks compare with the unbounded cache."""


def reference_installed() -> bool:
    """Whether ``veloxquant-mlx`` can be compared with."""
    return importlib.util.find_spec("veloxquant_mlx") is not None
