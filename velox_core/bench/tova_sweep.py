"""The sweep over sequence length × budget × sinks: ratio and latency of ``"key"`` at the cache."""

import importlib
import math
import statistics
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from velox_core.bench import report, variants
from velox_core.bench.measure import alternate, ratio, seconds
from velox_core.builder import KVCacheFactory
from velox_core.config import KVCacheConfig

SEQ_LENS = (128, 512, 1024, 2048)
BUDGETS = (64, 128, 256, 512)
SINKS = (0, 4)
N_HEADS, HEAD_DIM = 8, 128
CONFIGURATIONS = [
    (length, budget, sinks)
    for length in SEQ_LENS
    for budget in BUDGETS
    for sinks in SINKS
    if budget <= length
]


def run(rounds: int = 5, dtype: mx.Dtype = mx.float16) -> dict[str, Any]:
    """Measure every configuration, ours and the reference (if installed) in alternation."""
    rows = []
    with report.progress(f"tova-sweep, {dtype}", len(CONFIGURATIONS)) as told:
        for length, budget, sinks in CONFIGURATIONS:
            rows.append(_measure(length, budget, sinks, rounds, dtype))
            told()
    result: dict[str, Any] = {"dtype": str(dtype).removeprefix("mlx.core."), "rows": rows}
    speedups = [row["speedup"] for row in rows if "speedup" in row]
    if speedups:
        result["geometric_mean_speedup"] = statistics.geometric_mean(speedups)
    return result


def _measure(length: int, budget: int, sinks: int, rounds: int, dtype: mx.Dtype) -> dict[str, Any]:
    mx.random.seed(length + budget + sinks)
    keys = mx.random.normal((1, N_HEADS, length, HEAD_DIM)).astype(dtype)
    values = mx.random.normal((1, N_HEADS, length, HEAD_DIM)).astype(dtype)
    mx.eval(keys, values)
    settings: dict[str, Any] = {"tova_budget": budget, "tova_n_sink": sinks, "head_dim": HEAD_DIM}
    makers: dict[str, Callable[[], Any]] = {
        "velox_core": lambda: KVCacheFactory.create(
            KVCacheConfig(method="tova", tova_signal="key", **settings)
        )
    }
    if variants.reference_installed():
        package = importlib.import_module("veloxquant_mlx")
        makers["reference"] = lambda: package.KVCacheFactory.create(
            package.KVCacheConfig(method="tova", **settings)
        )
    caches: dict[str, Any] = {}

    def feed(name: str) -> float:
        caches[name] = makers[name]()
        return seconds(lambda: mx.eval(caches[name].update_and_fetch(keys, values)))

    for name in makers:
        feed(name)
    figures = alternate({name: lambda name=name: feed(name) for name in makers}, rounds)  # type: ignore[misc]
    row = {
        "seq_len": length,
        "budget": budget,
        "n_sink": sinks,
        "compression_ratio": caches["velox_core"].compression_ratio,
        "exact": math.isclose(caches["velox_core"].compression_ratio, length / budget),
        "ms": 1e3 * statistics.median(figures["velox_core"]),
    }
    if "reference" in figures:
        row["reference_ms"] = 1e3 * statistics.median(figures["reference"])
        row["speedup"] = ratio(figures["reference"], figures["velox_core"])
    return row
