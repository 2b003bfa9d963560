"""A chat's sampling values as the panel edits them, without the engine's types."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SamplingView:
    """Sampling values; ``top_k`` and ``min_p`` 0 and ``repetition_penalty`` 1 mean off."""

    temperature: float = 0.7
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()
