"""Prompt and decode speed with the starter model, side by side, and peak memory."""

import statistics
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.generate import generate_step
from mlx_lm.models.cache import KVCache, RotatingKVCache

from velox_core.bench import graph, report, variants
from velox_core.bench.measure import alternate, ratio, seconds
from velox_core.bench.session import Session
from velox_core.cache import TOVAKVCache
from velox_core.config import KVCacheConfig

CONTEXT, BUDGET, STEP = 4096, 512, 256
DECODED = 16


def run(session: Session, rounds: int = 5, context: int = CONTEXT) -> dict[str, Any]:
    """All speed figures: decode, prefill, growth, peak memory, primitives."""
    result: dict[str, Any] = {"context": context, "budget": BUDGET, "primitives": primitives()}
    caches, read_once = read_in_turn(session, context)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "decode": lambda: decode(session, rounds, caches),
        "prefill_once": lambda: _relative(read_once, context),
        "peak_memory": lambda: peak_memory(session, 2 * context),
        "prefill": lambda: prefill(session, rounds, context),
        "growth": lambda: growth(session, rounds, 4 * context),
    }
    for name, measure in parts.items():
        result[name] = measure()
        report.note(f"speed: {name}: {result[name]}")
    return result


def makers() -> dict[str, variants.Maker]:
    """The caches that are compared."""
    compared = {
        "unbounded": variants.unbounded,
        "RotatingKVCache": variants.rotating,
        '"key"': variants.bounded("tova", "key"),
        '"query"': variants.bounded("tova", "query"),
    }
    if variants.reference_installed():
        compared[variants.REFERENCE] = variants.reference
    return compared


def read_in_turn(
    session: Session, context: int
) -> tuple[dict[str, variants.Caches], dict[str, list[float]]]:
    """Every variant after ``context`` tokens, all having read a step in turn; and their seconds."""
    ids = some_ids(session, context)
    caches = {name: make(session.model, BUDGET) for name, make in makers().items()}
    taken = dict.fromkeys(caches, 0.0)
    with report.progress("speed: every cache reads", context) as told:
        for start in range(0, context, STEP):
            chunk = ids[start : start + STEP]
            for name, each in caches.items():
                taken[name] += seconds(lambda each=each, chunk=chunk: read(session, each, chunk))  # type: ignore[misc]
            told(len(chunk))
    return caches, {name: [total] for name, total in taken.items()}


def decode(session: Session, rounds: int, filled: Mapping[str, variants.Caches]) -> dict[str, Any]:
    """Tokens/s of every variant, in alternation."""
    # What no cache can beat: next to nothing to attend to.
    caches = {"empty cache": variants.unbounded(session.model, BUDGET), **filled}
    sides = {
        name: lambda caches=cache: decode_seconds(session, caches) for name, cache in caches.items()
    }
    # Differences of a few percent take more turns than rounds to tell from noise.
    figures = alternate(sides, 4 * rounds + 1)
    return _relative({name: times[1:] for name, times in figures.items()}, DECODED)


def prefill(session: Session, rounds: int, context: int) -> dict[str, Any]:
    """Prompt tokens/s over ``context`` tokens, the two that the targets name."""
    ids = some_ids(session, context)

    def once(name: str) -> float:
        caches = makers()[name](session.model, BUDGET)
        return seconds(lambda: feed(session, caches, ids, f"speed: prefill, {name}"))

    names = ("unbounded", '"query"')
    figures = alternate({name: lambda name=name: once(name) for name in names}, rounds)  # type: ignore[misc]
    return _relative(figures, context)


def growth(session: Session, rounds: int, context: int) -> dict[str, Any]:
    """Seconds per decoded token after 512 and after ``context`` tokens, same budget."""
    sides = {}
    for seen in (BUDGET, context):
        caches = variants.bounded("tova", endless=True)(session.model, BUDGET)
        feed(session, caches, some_ids(session, seen), f"speed: growth at {seen}")
        sides[str(seen)] = lambda caches=caches: decode_seconds(session, caches)
    figures = alternate(sides, 2 * rounds + 1)
    few, many = (figures[str(seen)][1:] for seen in (BUDGET, context))
    return {"seen": [BUDGET, context], "seconds_ratio": ratio(many, few)}


def peak_memory(session: Session, context: int) -> dict[str, Any]:
    """Peak of mlx's memory over the weights while ``context`` tokens are read."""
    ids = some_ids(session, context)
    peaks = {}
    for name, make in (("unbounded", variants.unbounded), ('"query"', variants.bounded("tova"))):
        caches = make(session.model, BUDGET)
        mx.clear_cache()
        weights = mx.get_active_memory()
        mx.reset_peak_memory()
        feed(session, caches, ids, f"speed: memory, {name}")
        peaks[name] = mx.get_peak_memory() - weights
        del caches
    return {
        "tokens": context,
        "nbytes": peaks,
        "ratio": peaks['"query"'] / peaks["unbounded"],
    }


def primitives() -> dict[str, Any]:
    """Graph primitives and K/V rows copied for each layer and decode step."""

    def ours(signal: str) -> Any:
        config = KVCacheConfig(tova_budget=16, tova_n_sink=4, tova_signal=signal)
        return TOVAKVCache(config, hooked=signal == "query")

    counted = {
        "unbounded": graph.decode_primitives(KVCache(), 64),
        "RotatingKVCache": graph.decode_primitives(RotatingKVCache(16, keep=4), 64),
        '"key"': graph.decode_primitives(ours("key"), 64),
        '"query"': graph.decode_primitives(ours("query"), 64),
    }
    return {
        name: {"primitives": count.total(), "rows_copied": graph.rows_copied(count)}
        for name, count in counted.items()
    }


def some_ids(session: Session, n_tokens: int) -> list[int]:
    """Reproducible random token ids: speed does not depend on what they say."""
    chooser = np.random.default_rng(0)
    ids: list[int] = chooser.integers(0, session.model.args.vocab_size, n_tokens).tolist()
    return ids


def feed(session: Session, caches: variants.Caches, ids: Sequence[int], title: str) -> None:
    """Prefill ``ids`` in steps, as the engine does on a CPU."""
    with report.progress(title, len(ids)) as told:
        for start in range(0, len(ids), STEP):
            chunk = ids[start : start + STEP]
            read(session, caches, chunk)
            told(len(chunk))


def read(session: Session, caches: variants.Caches, chunk: Sequence[int]) -> None:
    """One step of a prefill."""
    session.model(mx.array([chunk]), cache=caches)
    mx.eval([cache.state for cache in caches])


def decode_seconds(session: Session, caches: variants.Caches) -> float:
    """Seconds for ``DECODED`` greedy tokens from mlx-lm's own generator."""
    steps = generate_step(
        mx.array([1]), session.model, max_tokens=DECODED, prompt_cache=list(caches)
    )
    with closing(steps):
        return seconds(lambda: deque(steps, maxlen=0))


def _relative(figures: dict[str, list[float]], n_tokens: int) -> dict[str, Any]:
    return {
        name: {
            "tps": n_tokens / statistics.median(times),
            **(
                {"query_is_faster_by": ratio(times, figures['"query"'])}
                if name != '"query"'
                else {}
            ),
        }
        for name, times in figures.items()
    }
