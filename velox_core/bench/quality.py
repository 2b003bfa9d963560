"""Perplexity of real prose, fed token by token, for every policy and budget.

Each figure covers exactly the tokens that come after the budget is first reached, and stands beside
the unbounded cache's on the same tokens.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from velox_core.attention import install_hook
from velox_core.bench import report, variants
from velox_core.bench.lockstep import lockstep
from velox_core.bench.prose import prose_ids
from velox_core.bench.session import Session

BUDGETS = (64, 128, 256, 512, 1024)
N_TOKENS = 1024
N_PASSAGES = 3


def token_losses(
    model: Any,
    sides: Sequence[variants.Caches],
    texts: Sequence[Sequence[int]],
    told: Callable[[], None] = lambda: None,
) -> list[list[float]]:
    """Negative log-likelihood (nats) of each side's own text, each token fed alone.

    Args:
        model: What predicts.
        sides: One list of caches for each side.
        texts: One list of token ids for each side, all of the same length.
        told: Called after each token.

    Returns:
        For each side ``len(text) - 1`` values; value ``i`` is the loss of token ``i + 1``.
    """
    install_hook(model)
    caches = lockstep(sides)
    losses = []
    for current, following in pairwise(zip(*texts, strict=True)):
        logits = model(mx.array(current)[:, None], cache=caches)[:, -1].astype(mx.float32)
        right = mx.take_along_axis(logits, mx.array(following)[:, None], axis=-1)[:, 0]
        losses.append(np.array(mx.logsumexp(logits, axis=-1) - right))
        told()
    per_side: list[list[float]] = np.stack(losses, axis=1).tolist()
    return per_side


def perplexity(passages: Sequence[Sequence[float]], start: int) -> float:
    """Perplexity over the tokens that are predicted after ``start`` tokens of each passage."""
    losses = [loss for passage in passages for loss in passage[start:]]
    return math.exp(sum(losses) / len(losses))


def run(
    session: Session,
    n_tokens: int = N_TOKENS,
    n_passages: int = N_PASSAGES,
    text: Path | None = None,
) -> dict[str, Any]:
    """Measure all policies at all budgets; those from ``n_tokens`` on with twice the text."""
    rows: list[dict[str, Any]] = []
    for length, budgets in (
        (n_tokens, [b for b in BUDGETS if b < n_tokens]),
        (2 * n_tokens, [b for b in BUDGETS if n_tokens <= b < 2 * n_tokens]),
    ):
        if budgets:
            ids = prose_ids(session.tokenizer, n_passages * length, text)
            passages = [ids[start : start + length] for start in range(0, len(ids), length)]
            rows += _measure(session, passages, budgets)
    source = text.name if text else "documentation topics"
    return {"text": source, "passages": n_passages, "rows": rows}


def _measure(
    session: Session, passages: Sequence[Sequence[int]], budgets: Sequence[int]
) -> list[dict[str, Any]]:
    makers: dict[tuple[str, int], variants.Maker] = {("unbounded", 0): variants.unbounded}
    makers |= {(name, b): variants.POLICIES[name] for b in budgets for name in variants.POLICIES}
    sides = [make(session.model, b) for (_, b), make in makers.items() for _ in passages]
    n_tokens = len(passages[0])
    title = f"quality: {len(sides)} caches in lockstep"
    with report.progress(title, n_tokens - 1) as told:
        losses = token_losses(session.model, sides, list(passages) * len(makers), told)
    count = len(passages)
    by_side = {key: losses[n * count : (n + 1) * count] for n, key in enumerate(makers)}
    whole = by_side.pop(("unbounded", 0))
    rows = []
    for (name, budget), mine in by_side.items():
        bounded, unbounded = perplexity(mine, budget), perplexity(whole, budget)
        rows.append(
            {
                "policy": name,
                "budget": budget,
                "tokens": n_tokens,
                "perplexity": bounded,
                "unbounded_perplexity": unbounded,
                "ratio": bounded / unbounded,
                "ratio_by_passage": [
                    perplexity([m], budget) / perplexity([w], budget)
                    for m, w in zip(mine, whole, strict=True)
                ],
            }
        )
    return rows
