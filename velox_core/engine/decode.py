"""Choosing tokens one after the other, with mlx-lm's generator and samplers."""

import os
from collections.abc import Generator, Sequence
from contextlib import closing
from typing import Any

import mlx.core as mx
from mlx_lm.generate import generate_step, generation_stream
from mlx_lm.sample_utils import make_logits_processors, make_sampler

from velox_core.engine.events import SamplingParams

# How far back the repetition penalty looks, in tokens.
_PENALTY_CONTEXT = 64


class RecordingModel:
    """The model as ``generate_step`` calls it: remembers its last logits, and can begin with known.

    Attributes:
        last_logits: The logits ``(1, 1, vocabulary)`` of the newest token fed.
    """

    def __init__(self, model: Any, first_logits: mx.array | None) -> None:
        self._model = model
        self._first_logits = first_logits
        self.last_logits: mx.array | None = None

    def __call__(self, tokens: mx.array, cache: list[Any]) -> mx.array:
        """Logits ``(1, S, vocabulary)`` for ``tokens``, ``(1, S)``; feeds them into ``cache``."""
        if self._first_logits is not None:
            logits, self._first_logits = self._first_logits, None
            return logits
        logits = self._model(tokens, cache=cache)
        self.last_logits = logits[:, -1:]
        return logits


def decode(
    model: RecordingModel,
    caches: list[Any],
    last_token: int,
    sampling: SamplingParams,
    *,
    limit: int,
    vocabulary: int,
    context: Sequence[int],
) -> Generator[int, None, None]:
    """The tokens as they are chosen; each one is in the caches when it comes.

    Seeds this thread's random state, so it must run on the thread that owns the model. Close it
    there.

    Args:
        model: The model; begins with known logits if it has some.
        caches: One cache a layer, all but the last token of the prompt fed.
        last_token: The last token of the prompt.
        sampling: How to choose.
        limit: Most tokens.
        vocabulary: Size of the vocabulary.
        context: Ids fed so far, for the repetition penalty.

    Yields:
        Token ids.
    """
    _seed(sampling.seed)
    steps = generate_step(
        mx.array([last_token]),
        model,
        max_tokens=limit,
        sampler=_make_sampler(sampling, vocabulary),
        logits_processors=_make_penalties(sampling, context),
        prompt_cache=caches,
    )
    with closing(steps):
        for token, _ in steps:
            yield token


def finish_step() -> None:
    """Wait for the token that is being computed, as asking for it would."""
    mx.synchronize(generation_stream)


def _seed(seed: int | None) -> None:
    """Seed this thread's random state; mlx keeps one per thread."""
    mx.random.seed(int.from_bytes(os.urandom(8), "little") if seed is None else seed)


def _make_sampler(sampling: SamplingParams, vocabulary: int) -> Any:
    return make_sampler(
        temp=sampling.temperature,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        # mlx-lm takes a top_k below the vocabulary's size only; above it nothing is cut anyway.
        top_k=sampling.top_k if sampling.top_k < vocabulary else 0,
    )


def _make_penalties(sampling: SamplingParams, ids: Sequence[int]) -> list[Any]:
    """The repetition penalty, over the prompt's end too, which ``generate_step`` does not see."""
    if sampling.repetition_penalty == 1.0:
        return []
    before = mx.array(list(ids[-_PENALTY_CONTEXT:]), dtype=mx.uint32)
    [penalise] = make_logits_processors(
        repetition_penalty=sampling.repetition_penalty,
        repetition_context_size=_PENALTY_CONTEXT,
    )

    def processor(tokens: mx.array, logits: mx.array) -> mx.array:
        return penalise(mx.concatenate([before, tokens.astype(mx.uint32)]), logits)

    return [processor]
