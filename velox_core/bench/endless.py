"""Perplexity far past the model's trained window, with and without re-rotated keys.

The yardstick is a fresh cache that reads the last ``WARM_UP`` tokens before the measured stretch,
then the stretch itself: the same text with positions that never grow large.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from velox_core.bench import report, variants
from velox_core.bench.prose import prose_ids
from velox_core.bench.session import Session

BUDGET, CHUNK, WARM_UP = 512, 64, 2048
STRETCHES = ((4096, 6144), (12000, 16000), (30000, 34000))


def run(session: Session, text: Path | None = None) -> dict[str, Any]:
    """Perplexity over each stretch: re-rotated, not re-rotated, and a fresh cache."""
    ids = prose_ids(session.tokenizer, STRETCHES[-1][1], text)
    columns = {
        "endless": _losses(session, ids, endless=True, name="endless"),
        "positions grow": _losses(session, ids, endless=False, name="positions grow"),
    }
    rows = []
    for start, end in STRETCHES:
        first = max(0, start - WARM_UP)
        fresh = _losses(session, ids[first:end], endless=False, name=f"fresh at {start}")
        row: dict[str, Any] = {
            "tokens": [start, end],
            "fresh": _perplexity(fresh[start - first :]),
        }
        for name, losses in columns.items():
            row[name] = _perplexity(losses[start:end])
        row["ratio"] = row["endless"] / row["fresh"]
        rows.append(row)
    return {"budget": BUDGET, "chunk": CHUNK, "rows": rows}


def _perplexity(losses: Sequence[float]) -> float:
    return math.exp(sum(losses) / len(losses))


def _losses(session: Session, ids: list[int], *, endless: bool, name: str) -> list[float]:
    """Loss of the token after each of ``ids`` (the last has none), read in chunks."""
    caches = variants.bounded("tova", endless=endless)(session.model, BUDGET)
    losses: list[float] = []
    with report.progress(f"endless: {name}", len(ids)) as told:
        for start in range(0, len(ids) - 1, CHUNK):
            chunk = ids[start : start + CHUNK]
            following = ids[start + 1 : start + 1 + CHUNK]
            logits = session.model(mx.array([chunk]), cache=caches)[0, : len(following)]
            logits = logits.astype(mx.float32)
            right = mx.take_along_axis(logits, mx.array(following)[:, None], axis=-1)[:, 0]
            losses.extend(np.array(mx.logsumexp(logits, axis=-1) - right).tolist())
            told(len(chunk))
    return losses
