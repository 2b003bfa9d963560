"""Whether a model fits in this computer's memory: an estimate, always given as a range."""

import platform
import sys
from dataclasses import dataclass
from typing import Literal

import psutil

from velox_core.models.disk import format_nbytes
from velox_core.models.model_folder import ModelFacts

Verdict = Literal["fits", "tight", "too large"]

# Python, mlx and the tokenizer; then a prefill chunk's activations on top.
_RUNTIME_NBYTES = 250_000_000
_SCRATCH_NBYTES = 750_000_000
_SHORT_CHAT = 512
_LONG_CHAT = 8192


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model will take, in bytes, and what there is.

    Attributes:
        low_nbytes: Weights, a short chat and nothing else.
        high_nbytes: With a full cache and the largest prefill.
        available_nbytes: What one program may use here.
        verdict: How the range compares with it.
    """

    low_nbytes: int
    high_nbytes: int
    available_nbytes: int
    verdict: Verdict

    def __str__(self) -> str:
        return (
            f"{self.verdict}: about {format_nbytes(self.low_nbytes)} to "
            f"{format_nbytes(self.high_nbytes)} of {format_nbytes(self.available_nbytes)}"
        )


def has_gpu() -> bool:
    """Whether mlx computes on a GPU here, told without importing it."""
    return sys.platform == "darwin" and platform.machine() == "arm64"


def available_memory() -> int:
    """What one program may use, in bytes.

    macOS lets the GPU use about two thirds of up to 36 GB, and three quarters above.
    """
    total = psutil.virtual_memory().total
    if not has_gpu():
        return int(total * 0.9)
    return int(total * (2 / 3 if total <= 36 * 2**30 else 3 / 4))


def estimate_fit(
    facts: ModelFacts,
    budget: int = 2048,
    available_nbytes: int | None = None,
    gpu: bool | None = None,
) -> Fit:
    """Estimate weights, KV cache and headroom.

    Args:
        facts: From the model's files.
        budget: Tokens that a bounded cache keeps per layer.
        available_nbytes: Memory to compare with; by default this computer's.
        gpu: Whether weights stay as stored; without a GPU each becomes a float32.
    """
    on_gpu = has_gpu() if gpu is None else gpu
    available = available_memory() if available_nbytes is None else available_nbytes
    weights = facts.weights_nbytes if on_gpu else facts.n_parameters * 4
    per_token = (facts.bytes_per_token or 0) * (1 if on_gpu else 2)
    window = facts.context_window or _LONG_CHAT
    longest = budget if facts.cache_support == "full" else _LONG_CHAT
    low = weights + per_token * min(_SHORT_CHAT, longest, window) + _RUNTIME_NBYTES
    high = int(weights * 1.1) + per_token * min(longest, window)
    high += _RUNTIME_NBYTES + _SCRATCH_NBYTES
    verdict: Verdict = "fits" if high <= available else "tight" if low <= available else "too large"
    return Fit(low, high, available, verdict)
