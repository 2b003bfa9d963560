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

from velox_core.bench import report, variants
from velox_core.bench.prose import prose_ids
from velox_core.bench.session import Session

BUDGETS = (64, 128, 256, 512, 1024)
N_TOKENS = 1024


def token_losses(
    model: Any, caches: variants.Caches, ids: Sequence[int], told: Callable[[], None]
) -> list[float]:
    """Negative log-likelihood (nats) of ``ids[1:]``, each token fed alone.

    Returns:
        ``len(ids) - 1`` values; value ``i`` is the loss of token ``i + 1``.
    """
    losses: list[float] = []
    for current, following in pairwise(ids):
        logits = model(mx.array([[current]]), cache=caches)[0, -1].astype(mx.float32)
        losses.append((mx.logsumexp(logits) - logits[following]).item())
        told()
    return losses


def perplexity(losses: Sequence[float], start: int) -> float:
    """Perplexity over the tokens that are predicted after ``start`` tokens were seen."""
    return math.exp(sum(losses[start:]) / len(losses[start:]))


def run(session: Session, n_tokens: int = N_TOKENS, text: Path | None = None) -> dict[str, Any]:
    """Measure all policies at all budgets; those from ``n_tokens`` on with twice the text."""
    rows: list[dict[str, Any]] = []
    for length, budgets in (
        (n_tokens, [b for b in BUDGETS if b < n_tokens]),
        (2 * n_tokens, [b for b in BUDGETS if n_tokens <= b < 2 * n_tokens]),
    ):
        if not budgets:
            continue
        ids = prose_ids(session.tokenizer, length, text)
        whole = _losses(session, variants.unbounded, 0, ids, "unbounded")
        for budget in budgets:
            for name, make in variants.POLICIES.items():
                losses = _losses(session, make, budget, ids, name)
                rows.append(_row(name, budget, length, losses, whole))
    return {"text": text.name if text else "documentation topics", "rows": rows}


def _losses(
    session: Session, make: variants.Maker, budget: int, ids: Sequence[int], name: str
) -> list[float]:
    caches = make(session.model, budget)
    with report.progress(f"quality: {name}, budget {budget or '∞'}", len(ids) - 1) as told:
        return token_losses(session.model, caches, ids, told)


def _row(
    name: str, budget: int, length: int, losses: Sequence[float], whole: Sequence[float]
) -> dict[str, Any]:
    bounded, unbounded = perplexity(losses, budget), perplexity(whole, budget)
    return {
        "policy": name,
        "budget": budget,
        "tokens": length,
        "perplexity": bounded,
        "unbounded_perplexity": unbounded,
        "ratio": bounded / unbounded,
    }
