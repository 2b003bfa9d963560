"""Finding each layer's rope, and checking on the layer itself that re-rotation is exact.

One token alone attends to itself only, so whatever its position, every layer computes the same but
for the rotation of its key. Running one token at two positions therefore shows, layer by layer,
what the model's rope does to keys, and which rope module does the same.
"""

import logging
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import CacheList
from numpy.typing import NDArray

from velox_core.cache import EvictingKVCache
from velox_core.config import KVCacheConfig
from velox_core.positions import Rotation

log = logging.getLogger(__name__)

ANGLE = 2.4e-7
"""How far two fp32 angles of the same position may be apart, per unit of position."""

UNKNOWN_WINDOW = (
    "This model does not say how many tokens it was trained for; very long chats may fall apart."
)
CANNOT_MOVE = (
    "This model's positions cannot be moved exactly; text may fall apart after {:,} tokens."
)


@dataclass(frozen=True, slots=True)
class Endless:
    """What can be done about a model's trained window.

    Attributes:
        window: The trained window in tokens, or None where re-rotation is off.
        rotations: Slot → how to move its keys; empty where re-rotation is off.
        notice: Why it is off, one plain sentence, or an empty string.
    """

    window: int | None
    rotations: dict[int, Rotation]
    notice: str = ""


_found: dict[int, tuple[weakref.ref[Any], Endless]] = {}


def find_endless(model: Any, make_caches: Any, slots: Sequence[int]) -> Endless:
    """Find how the keys of ``slots`` can be moved, once per model; three tokens' work."""
    known = _found.get(id(model))
    if known and known[0]() is model and set(known[1].rotations) in (set(slots), set()):
        return known[1]
    endless = _examine(model, make_caches, slots)
    _found[id(model)] = weakref.ref(model), endless
    weakref.finalize(model, _found.pop, id(model), None)
    return endless


def trained_window(model: Any) -> int | None:
    """Tokens the model was trained for, as far as its configuration says."""
    args = getattr(model, "args", None)
    inner = getattr(args, "text_config", None)
    for part in (args, inner):
        facts = part if isinstance(part, dict) else vars(part) if part is not None else {}
        window = facts.get("max_position_embeddings")
        scaling = facts.get("rope_scaling")
        if window is None and isinstance(scaling, dict):
            # gpt-oss says it only by its rope: the original window and what it was stretched by.
            window = scaling.get("original_max_position_embeddings", 0) * scaling.get("factor", 1)
        if isinstance(window, int | float) and window >= 1:
            return int(window)
    return None


def _examine(model: Any, make_caches: Any, slots: Sequence[int]) -> Endless:
    window = trained_window(model)
    if window is None:
        return Endless(None, {}, UNKNOWN_WINDOW)
    # From 0 the module's own numbers are met; from within the window to beyond it, a rotation on
    # top of a rotation, which a rope that changes with length does not survive.
    inside, beyond = window // 2 + 5, 2 * window + 11
    places = (0, inside, beyond)
    try:
        at = {place: _keys_at(model, make_caches(), slots, place) for place in places}
    except Exception:
        log.info("the model does not show its keys one token at a time", exc_info=True)
        return Endless(None, {}, CANNOT_MOVE.format(window))
    ropes = _distinct_ropes(model)
    rotations = {}
    for slot in slots:
        found = next(
            (
                rotation
                for rotation in (Rotation(), *ropes)
                if _agrees(rotation, at[0][slot], at[inside][slot], inside, 0.0)
                and _agrees(rotation, at[inside][slot], at[beyond][slot], beyond - inside, ANGLE)
            ),
            None,
        )
        if found is None:
            return Endless(None, {}, CANNOT_MOVE.format(window))
        rotations[slot] = found
    return Endless(window, rotations)


class _KeyHolder(EvictingKVCache):
    """Stands for any cache that takes keys, and notes those of one token taken in at ``offset``."""

    def __init__(self, offset: int) -> None:
        super().__init__(KVCacheConfig(tova_signal="key"))
        self.offset = offset
        self.taken: mx.array | None = None

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        self.taken = keys
        return super().update_and_fetch(keys, values)

    def make_mask(self, *_args: Any, **_kwargs: Any) -> None:
        """One token sees itself."""


def _keys_at(model: Any, caches: list[Any], slots: Sequence[int], at: int) -> dict[int, mx.array]:
    """Each slot's key ``(1, n_kv_heads, 1, D)`` of one token at position ``at``."""
    held = [_holder(cache, at) for cache in caches]
    model(mx.zeros((1, 1), mx.int32), cache=held)
    taken = {slot: held[slot].taken for slot in slots}
    mx.eval(list(taken.values()))
    return taken


def _holder(cache: Any, at: int) -> Any:
    """A holder for every cache that takes keys: a model may read its position off any of them."""
    if isinstance(cache, CacheList):
        return CacheList(*(_holder(nested, at) for nested in cache.caches))
    return _KeyHolder(at) if hasattr(cache, "update_and_fetch") else cache


def _distinct_ropes(model: Any) -> list[Rotation]:
    """The model's rope modules, one of each kind."""
    kinds: dict[Any, Rotation] = {}
    for part in model.modules():
        if "rope" not in type(part).__name__.lower() or not callable(part):
            continue
        facts = tuple(sorted((k, str(v)) for k, v in vars(part).items() if not k.startswith("__")))
        freqs = getattr(part, "_freqs", None)
        kind = (type(part), facts, None if freqs is None else tuple(freqs.tolist()))
        kinds.setdefault(kind, Rotation(part))
    return list(kinds.values())


def _agrees(rotation: Rotation, start: mx.array, end: mx.array, by: int, slack: float) -> bool:
    """Whether ``rotation`` takes a key from where it starts to where the model puts it."""
    try:
        moved = rotation.moved(start, mx.full(start.shape[1:3], by, mx.int32))
    except Exception as error:
        log.info("a rope module was no use: %s", error)
        return False
    apart, size = np.abs(_numbers(moved) - _numbers(end)).max(), np.abs(_numbers(end)).max()
    tolerance = (1e-3 if end.dtype == mx.float32 else 2e-2) + slack * by
    return bool(size > 0 and apart <= tolerance * size)


def _numbers(array: mx.array) -> NDArray[np.float32]:
    return np.array(array.astype(mx.float32))
