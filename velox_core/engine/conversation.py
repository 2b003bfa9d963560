"""One conversation's KV caches and the tokens that are in them.

Three things agree after every step: the list of token ids fed, the offset of every layer and the
transcript, whose prompt is compared with the ids. When they do not, the caches are rebuilt.
"""

import copy
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import (
    KVCache,
    can_trim_prompt_cache,
    make_prompt_cache,
    trim_prompt_cache,
)

from velox_core.builder import KVCacheBuilder
from velox_core.cache import EvictingKVCache
from velox_core.caches import BoundedCaches
from velox_core.config import KVCacheConfig
from velox_core.engine.checks import check_cache
from velox_core.engine.events import CacheSettings, CacheStats, MemoryMeasured, ModelInfo
from velox_core.engine.message_map import MessageMap
from velox_core.errors import ConfigError
from velox_core.process_memory import process_nbytes

logger = logging.getLogger(__name__)

# Two for each of the last three turns: before its prompt is read, and before its reply.
_MAX_SNAPSHOTS = 6
_MAX_SNAPSHOT_NBYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The caches after exactly ``ids``."""

    ids: tuple[int, ...]
    caches: list[Any]
    nbytes: int


class Conversation:
    """Caches, the ids fed to them, and snapshots at the starts of the last turns."""

    def __init__(self, model: Any, info: ModelInfo, settings: CacheSettings) -> None:
        """Begin empty.

        Raises:
            ConfigError: When budget and sinks do not fit together.
        """
        self._model = model
        self._info = info
        self.settings = settings
        self.ids: list[int] = []
        # What the model answered to the last of the ids: a reply can go on without reading.
        self.next_logits: mx.array | None = None
        self.caches: list[Any] = _make_caches(model, info, settings)
        self.messages = MessageMap()
        self.protected: frozenset[int] = frozenset()
        self.eviction_start: int | None = None
        self.window_noted = False
        self._snapshots: list[_Snapshot] = []

    def apply(self, settings: CacheSettings, protected: frozenset[int]) -> None:
        """Take over new settings: budget and sinks at once, bounded or full by starting over.

        Args:
            settings: Budget, sinks, bounded or not.
            protected: Positions that are never dropped from now on.

        Raises:
            ConfigError: When it does not all fit together; nothing is changed then.
        """
        if settings == self.settings and protected == self.protected:
            return
        _check_room(settings, protected)
        if settings.bounded and settings.budget < min(len(self.ids), self.settings.budget):
            self.eviction_start = self.eviction_start or len(self.ids)
        starts_over = settings.bounded != self.settings.bounded
        self.settings, self.protected = settings, protected
        if starts_over:
            self._restart()
        else:
            self._adapt()

    def resume(self, prompt: Sequence[int]) -> int:
        """Bring the caches to the longest known beginning of ``prompt``.

        It leaves one token to feed, unless ``next_logits`` are there.

        Returns:
            How many tokens of the prompt are in the caches now.
        """
        limit = len(prompt) - (self.next_logits is None)
        shared = min(_common_length(self.ids, prompt), limit)
        if shared < len(self.ids):
            shared = min(shared, len(prompt) - 1)
            self.next_logits = None
        if not self._agrees():
            logger.warning("ids and caches disagree; reading the conversation again")
            self._restart()
        elif shared < len(self.ids):
            self._rewind(prompt, shared)
        return len(self.ids)

    def adopt(self, caches: BoundedCaches, ids: Sequence[int]) -> bool:
        """Go on with restored caches; returns False and changes nothing if they do not fit."""
        if bool(caches.bounded) != bool(self._bounded_caches()):
            return False
        if any(offset != len(ids) for offset in _offsets(caches)):
            return False
        self.caches, self.ids = caches, list(ids)
        self._adapt()
        return True

    def feed(self, tokens: Sequence[int]) -> None:
        """Read ``tokens`` into the caches and wait until that is done."""
        self._model(mx.array([list(tokens)]), cache=self.caches)
        mx.eval([cache.state for cache in self.caches])
        self.ids.extend(tokens)
        self.next_logits = None

    def take_snapshot(self) -> None:
        """Keep the present state, so that a turn can be repeated or replaced at once."""
        if not self.ids or not self._needs_snapshots():
            return
        ids = tuple(self.ids)
        if any(kept.ids == ids for kept in self._snapshots):
            return
        caches = _copy(self.caches)
        nbytes = sum(cache.nbytes for cache in caches)
        self._snapshots.append(_Snapshot(ids, caches, nbytes))
        while len(self._snapshots) > 1 and (
            len(self._snapshots) > _MAX_SNAPSHOTS
            or sum(kept.nbytes for kept in self._snapshots) > _MAX_SNAPSHOT_NBYTES
        ):
            del self._snapshots[0]

    @property
    def nbytes(self) -> int:
        """Bytes held by caches and snapshots."""
        return sum(cache.nbytes for cache in self.caches) + sum(s.nbytes for s in self._snapshots)

    @property
    def is_endless(self) -> bool:
        """Whether it can go on past the model's window, its kept rows being moved in time."""
        bounded = self._bounded_caches()
        return (
            bool(bounded)
            and all(cache.spans.window is not None for cache in bounded)
            and not any(type(cache) is KVCache for cache in self.caches)
        )

    def remembered(self) -> list[float]:
        """Per token seen, the part of all bounded layers and heads that still hold it, 0 to 1."""
        if isinstance(self.caches, BoundedCaches) and self.caches.bounded and self.ids:
            return self.caches.remembered().tolist()
        return [1.0] * len(self.ids)

    def measure(self) -> CacheStats:
        """The caches' state now. Layers of fixed size count the same on both sides."""
        seen = len(self.ids)
        held = sum(cache.nbytes for cache in self.caches)
        bounded = self._bounded_caches()
        kept = max((cache.size() for cache in bounded), default=seen)
        if kept < seen and self.eviction_start is None:
            self.eviction_start = self.settings.budget
        other = sum(c.nbytes for c in self.caches if not isinstance(c, EvictingKVCache | KVCache))
        # mlx-lm's unbounded cache grows in whole steps of rows, so that is what it would hold.
        rows = -(-seen // KVCache.step) * KVCache.step
        full = rows * self._info.bytes_per_token + other
        return CacheStats(
            tokens_seen=seen,
            tokens_kept=kept,
            budget=self.settings.budget,
            n_sink=self.settings.n_sink,
            bounded=bool(bounded),
            cache_nbytes=held,
            full_cache_nbytes=full if bounded else held,
            compression_ratio=seen / kept if kept else 1.0,
            memory_nbytes=process_nbytes(),
        )

    def _restart(self) -> None:
        self.caches = _make_caches(self._model, self._info, self.settings)
        self._adapt()
        self.ids = []
        self.next_logits = None
        self.eviction_start = None
        self._snapshots = []

    def _rewind(self, prompt: Sequence[int], shared: int) -> None:
        """Go back to a state that ``prompt`` begins with, at best ``shared`` tokens long."""
        if shared and can_trim_prompt_cache(self.caches):
            trim_prompt_cache(self.caches, len(self.ids) - shared)
            del self.ids[shared:]
            if self._agrees():
                return
        best = max(
            (s for s in self._snapshots if _begins(prompt, s.ids) and len(s.ids) < len(prompt)),
            key=lambda snapshot: len(snapshot.ids),
            default=None,
        )
        if best is None:
            snapshots = self._snapshots
            self._restart()
            self._snapshots = snapshots
            return
        self.caches = _copy(best.caches)
        self.ids = list(best.ids)
        self._adapt()
        if all(cache.size() == len(self.ids) for cache in self._bounded_caches()):
            self.eviction_start = None

    def _adapt(self) -> None:
        """Bring caches in line with settings and protected positions that were checked before."""
        if not isinstance(self.caches, BoundedCaches):
            return
        before = next((cache.protected for cache in self.caches.bounded_caches), frozenset())
        if before - self.protected:
            self.caches.unprotect(before - self.protected)
        self.caches.resize(self.settings.budget, self.settings.n_sink)
        if self.protected - before:
            self.caches.protect(self.protected)

    def _agrees(self) -> bool:
        return all(offset == len(self.ids) for offset in _offsets(self.caches))

    def _needs_snapshots(self) -> bool:
        """Whether going back is impossible, now or later, without one."""
        return self.settings.bounded or not can_trim_prompt_cache(self.caches)

    def _bounded_caches(self) -> list[EvictingKVCache]:
        return [cache for cache in self.caches if isinstance(cache, EvictingKVCache)]


def measure_memory(request_id: str, chat_id: str, conversation: Conversation) -> MemoryMeasured:
    """What is left of each message."""
    conversation.measure()
    places = conversation.messages
    messages = places.measure(conversation.remembered())
    start = conversation.eviction_start
    return MemoryMeasured(request_id, chat_id, messages, start, places.system_prompt)


def _make_caches(model: Any, info: ModelInfo, settings: CacheSettings) -> list[Any]:
    if not settings.bounded or not info.n_bounded_layers:
        return make_prompt_cache(model)
    config = KVCacheConfig(
        method="tova",
        head_dim=info.head_dim,
        tova_budget=settings.budget,
        tova_n_sink=settings.n_sink,
    )
    return KVCacheBuilder.for_model(model, config)


def _check_room(settings: CacheSettings, protected: frozenset[int]) -> None:
    """Raise ConfigError when sinks and protected tokens leave nothing to evict."""
    check_cache(settings)
    if not settings.bounded:
        return
    n_pinned = sum(position >= settings.n_sink for position in protected)
    if n_pinned and settings.n_sink + n_pinned >= settings.budget:
        raise ConfigError(
            f"Pinned text ({n_pinned:,} tokens, with the system prompt if it is kept) and sinks "
            f"({settings.n_sink}) are {n_pinned + settings.n_sink:,} together, and the budget of "
            f"{settings.budget:,} must be above that: raise it or unpin some."
        )


def _copy(caches: list[Any]) -> list[Any]:
    return caches.snapshot() if isinstance(caches, BoundedCaches) else copy.deepcopy(caches)


def _offsets(caches: Sequence[Any]) -> Iterator[int]:
    """The offsets of all layers that count tokens."""
    for cache in caches:
        nested = getattr(cache, "caches", None)
        if nested is not None:
            yield from _offsets(nested)
        elif isinstance(getattr(cache, "offset", None), int):
            yield cache.offset


def _common_length(first: Sequence[int], second: Sequence[int]) -> int:
    for index, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return index
    return min(len(first), len(second))


def _begins(prompt: Sequence[int], beginning: Sequence[int]) -> bool:
    return _common_length(prompt, beginning) == len(beginning)
