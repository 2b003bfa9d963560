"""StreamingLLM: keep the sinks and the most recent tokens.

"Efficient Streaming Language Models with Attention Sinks", Xiao et al. 2023, arXiv:2309.17453.
All rows score alike, so the cache drops the oldest that is no sink. The paper also renumbers
positions inside the cache; see :mod:`velox_core.positions`.
"""

from typing import ClassVar

import mlx.core as mx

from velox_core.policies.base import EvictionPolicy, Rows, Signal


class StreamingLLM(EvictionPolicy):
    """Scores nothing: the oldest row goes."""

    name: ClassVar[str] = "streaming_llm"
    signals: ClassVar[tuple[Signal, ...]] = ("none",)

    def score(self, rows: Rows) -> mx.array | None:
        """See :meth:`EvictionPolicy.score`: all rows are equal."""
        return None
