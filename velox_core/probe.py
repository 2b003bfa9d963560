"""Finding out what a model does with its caches, by running it without computing anything.

mlx is lazy: a forward pass whose result nobody evaluates only builds a graph, in milliseconds,
yet calls every cache with arrays of the true shapes. More reliable than reading attributes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from velox_core.cache import EvictingKVCache
from velox_core.config import KVCacheConfig

_CONFIG = KVCacheConfig(tova_budget=2, tova_n_sink=0)
# A first chunk over budget, a chunk onto what was kept, one token: each meets another mask.
_CHUNKS = (3, 3, 1)


@dataclass(slots=True)
class Finding:
    """What one slot's cache saw.

    Attributes:
        refusal: Why it cannot be bounded, or an empty string.
        saw_query: Whether attention showed its query in every call.
        asked_again: Whether somebody asked for keys and values after the update.
    """

    refusal: str = ""
    saw_query: bool = True
    asked_again: bool = False


class _ProbeCache(EvictingKVCache):
    """A bounded cache that notes how it is used."""

    def __init__(self) -> None:
        super().__init__(_CONFIG, hooked=True)
        self.finding = Finding()

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        if keys.shape[-1] != values.shape[-1]:
            self.finding.refusal = "its keys and values differ in width"
        return super().update_and_fetch(keys, values)

    def make_mask(
        self,
        N: int,  # noqa: N803
        return_array: bool = False,
        window_size: int | None = None,
    ) -> mx.array | str | None:
        if window_size is not None:
            self.finding.refusal = "it attends to a sliding window"
        return super().make_mask(N, return_array)

    def keys_and_values(self) -> tuple[mx.array, mx.array]:
        self.finding.asked_again = True
        return super().keys_and_values()

    def _settle(self) -> None:
        if not self._query_due:
            return
        self.finding.saw_query = False
        self._query_due = False
        if self._pending is not None:
            # Any choice will do: scores decide nothing here, and keys would have to be computed.
            shape = (1, self._pending.keys.shape[1], 1, self._pending.keys.shape[2])
            self._choose(self._pending, mx.zeros(shape))


def probe(model: Any, caches: list[Any], slots: Sequence[int]) -> dict[int, Finding]:
    """Run ``model`` with probing caches in ``slots`` of ``caches``; nothing is computed.

    Returns:
        A finding for each slot; if the model fails on the way, only those that explain it.
    """
    probes = {slot: _ProbeCache() for slot in slots}
    for slot, cache in probes.items():
        caches[slot] = cache
    try:
        for length in _CHUNKS:
            model(mx.zeros((1, length), mx.int32), cache=caches)
    except Exception:
        refused = {i: cache.finding for i, cache in probes.items() if cache.finding.refusal}
        if not refused:
            raise
        return refused
    for cache in probes.values():
        cache._settle()
        if cache.empty():
            cache.finding.refusal = "nothing is ever written to it"
    return {slot: cache.finding for slot, cache in probes.items()}
