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


def token_losses(
    model: Any,
    sides: Sequence[variants.Caches],
    ids: Sequence[int],
    told: Callable[[], None] = lambda: None,
) -> list[list[float]]:
    """Negative log-likelihood (nats) of ``ids[1:]`` for every side, each token fed alone.

    Returns:
        For each side ``len(ids) - 1`` values; value ``i`` is the loss of token ``i + 1``.
    """
    install_hook(model)
    caches = lockstep(sides)
    losses = []
    for current, following in pairwise(ids):
        logits = model(mx.array([[current]] * len(sides)), cache=caches)[:, -1].astype(mx.float32)
        loss = mx.logsumexp(logits, axis=-1) - logits[:, following]
        losses.append(np.array(loss))
        told()
    return np.stack(losses, axis=1).tolist()


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
        if budgets:
            rows += _measure(session, prose_ids(session.tokenizer, length, text), budgets)
    return {"text": text.name if text else "documentation topics", "rows": rows}


def _measure(session: Session, ids: Sequence[int], budgets: Sequence[int]) -> list[dict[str, Any]]:
    names = [(name, budget) for budget in budgets for name in variants.POLICIES]
    sides = [variants.unbounded(session.model, 0)]
    sides += [variants.POLICIES[name](session.model, budget) for name, budget in names]
    title = f"quality: {len(sides)} caches in lockstep"
    with report.progress(title, len(ids) - 1) as told:
        whole, *others = token_losses(session.model, sides, ids, told)
    rows = []
    for (name, budget), losses in zip(names, others, strict=True):
        bounded, unbounded = perplexity(losses, budget), perplexity(whole, budget)
        rows.append(
            {
                "policy": name,
                "budget": budget,
                "tokens": len(ids),
                "perplexity": bounded,
                "unbounded_perplexity": unbounded,
                "ratio": bounded / unbounded,
            }
        )
    return rows
