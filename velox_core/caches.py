"""The caches of one model as mlx-lm takes them: a list that knows what it bounds."""

import copy
from collections.abc import Iterable
from typing import Any, Self

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from velox_core.cache import EvictingKVCache


class BoundedCaches(list[Any]):
    """One cache for each slot of a model's own list; usable as ``prompt_cache``.

    Attributes:
        unbounded: Slot → why it keeps the model's own cache, one plain phrase.
    """

    def __init__(
        self,
        caches: Iterable[Any],
        unbounded: dict[int, str] | None = None,
        notices: Iterable[str] = (),
    ) -> None:
        super().__init__(caches)
        self.unbounded = dict(unbounded or {})
        self._notices = tuple(notices)

    @property
    def bounded(self) -> tuple[int, ...]:
        """The slots that hold a bounded cache."""
        return tuple(i for i, cache in enumerate(self) if isinstance(cache, EvictingKVCache))

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know, one plain sentence each; fallbacks may add to it later."""
        own = [cache.notice for cache in self.bounded_caches if cache.notice]
        return tuple(dict.fromkeys((*self._notices, *own)))

    @property
    def bounded_caches(self) -> list[EvictingKVCache]:
        """The bounded caches alone."""
        return [cache for cache in self if isinstance(cache, EvictingKVCache)]

    def resize(self, budget: int, n_sink: int | None = None) -> None:
        """Change budget and sinks of every bounded cache, or of none.

        Raises:
            ConfigError: See :meth:`EvictingKVCache.resize`.
        """
        for cache in self.bounded_caches:
            cache.resize(budget, n_sink)

    def protect(self, positions: Iterable[int]) -> None:
        """Never drop these positions in any bounded cache.

        Raises:
            ConfigError: See :meth:`EvictingKVCache.protect`.
        """
        chosen = list(positions)
        for cache in self.bounded_caches:
            cache.protect(chosen)

    def unprotect(self, positions: Iterable[int] | None = None) -> None:
        """Protect these positions no longer; all of them if None."""
        chosen = None if positions is None else list(positions)
        for cache in self.bounded_caches:
            cache.unprotect(chosen)

    def snapshot(self) -> Self:
        """A copy that stays as it is now. Arrays are shared until the next token is taken in."""
        return type(self)((_snapshot(cache) for cache in self), self.unbounded, self._notices)

    def remembered(self) -> NDArray[np.float32]:
        """How much of each token is left: ``(tokens seen,)``, from 0 to 1.

        The share of (bounded layer, KV head) pairs that still hold the position. Waits for the
        arrays, so call it off the decode path.
        """
        caches = [cache for cache in self.bounded_caches if not cache.empty()]
        if not caches:
            return np.zeros(0, np.float32)
        lazy = [cache.slots() for cache in caches]
        mx.eval(lazy)
        held, pairs = [], 0
        for positions, free in lazy:
            rows = np.array(positions)
            if free is not None:
                # Counted under a number that is left out below.
                np.put_along_axis(rows, np.array(free).astype(np.int64), caches[0].offset, axis=1)
            held.append(rows.ravel())
            pairs += rows.shape[0]
        counts = np.bincount(np.concatenate(held), minlength=caches[0].offset + 1)
        return np.asarray(counts[:-1] / pairs, np.float32)


def _snapshot(cache: Any) -> Any:
    """A copy with array handles of its own: mlx-lm's caches assign into theirs."""
    if isinstance(cache, EvictingKVCache):
        return cache.detached()
    twin = copy.copy(cache)
    for name, value in vars(cache).items():
        setattr(twin, name, _own_handles(value))
    return twin


def _own_handles(value: Any) -> Any:
    if isinstance(value, mx.array):
        return mx.array(value)
    if isinstance(value, list | tuple):
        return type(value)(_own_handles(item) for item in value)
    if hasattr(value, "update_and_fetch"):
        return _snapshot(value)
    return value
