"""Several caches read the same tokens at once: one pass through the weights serves them all.

Decoding is bound by reading the weights, so comparing twelve caches this way costs little more than
one of them. Each cache still sees its own row of the batch only, attends by itself and evicts by
itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx


class LockstepCache:
    """One layer's caches of all variants, as one cache with a batch row for each.

    Speaks as much of the cache protocol as a forward pass of a hooked model needs.
    """

    wants_query = True

    def __init__(self, members: Sequence[Any]) -> None:
        self.members = list(members)

    @property
    def offset(self) -> int:
        """Tokens seen, the same for all."""
        offset: int = self.members[0].offset
        return offset

    def make_mask(self, *_sizes: Any, **_options: Any) -> None:
        """None: every member makes its own when it attends."""

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Hand the rows on to :meth:`attend`, ``(V, n_kv_heads, S, D)`` for V variants."""
        return keys, values

    def attend(
        self,
        queries: mx.array,
        keys: mx.array,
        values: mx.array,
        scale: float,
        _mask: Any,
        sinks: mx.array | None,
        _native: Callable[[], mx.array],
    ) -> mx.array:
        """Let every member attend with its row of the batch; ``(V, n_heads, S, D)``."""
        outputs = [
            attend_alone(
                member, queries[i : i + 1], keys[i : i + 1], values[i : i + 1], scale, sinks
            )
            for i, member in enumerate(self.members)
        ]
        return mx.concatenate(outputs)


def lockstep(variants: Sequence[Sequence[Any]]) -> list[LockstepCache]:
    """One cache for each layer out of one list of caches for each variant."""
    return [LockstepCache(layer) for layer in zip(*variants, strict=True)]


def attend_alone(
    cache: Any,
    queries: mx.array,
    keys: mx.array,
    values: mx.array,
    scale: float,
    sinks: mx.array | None,
) -> mx.array:
    """One cache's attention as mlx-lm runs it, through the hook where the cache asks for it."""
    mask = cache.make_mask(queries.shape[2], return_array=False, window_size=None)
    keys, values = cache.update_and_fetch(keys, values)

    def native() -> mx.array:
        return mx.fast.scaled_dot_product_attention(
            queries, keys, values, scale=scale, mask=mask, sinks=sinks
        )

    if getattr(cache, "wants_query", False):
        output: mx.array = cache.attend(queries, keys, values, scale, mask, sinks, native)
        return output
    return native()
