"""Saving a conversation's caches to one file, and restoring them exactly.

The file is a safetensors file: every array of every cache's ``state``, with the scalars, the token
ids, a fingerprint of the model and a checksum in its metadata. It is written beside its place and
renamed, so it is there whole or not at all.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from velox_core.builder import KVCacheBuilder, native_caches
from velox_core.cache import EvictingKVCache
from velox_core.caches import BoundedCaches
from velox_core.config import KVCacheConfig
from velox_core.errors import CacheError, SavedCacheError

FORMAT = "velox-kv-cache"
VERSION = "1"
DAMAGED = "This saved memory is damaged. Re-read the conversation instead."
_SAMPLE = 16
"""Numbers of each weight that go into a model's fingerprint."""


@dataclass(frozen=True, slots=True)
class SavedCaches:
    """What a file held.

    Attributes:
        caches: As :meth:`velox_core.KVCacheBuilder.for_model` builds them, filled.
        token_ids: The tokens that were fed.
    """

    caches: BoundedCaches
    token_ids: list[int]


def save_caches(
    path: str | Path, model: Any, caches: Sequence[Any], token_ids: Sequence[int]
) -> None:
    """Write ``caches`` and the tokens that are in them to ``path``, whole or not at all.

    Args:
        path: The file; an older one is replaced.
        model: The model the caches belong to.
        caches: One cache for each slot, bounded or native.
        token_ids: Every token fed, in order.

    Raises:
        CacheError: The tokens are not those in the caches.
        OSError: The file cannot be written.
    """
    for cache in caches:
        if isinstance(cache, EvictingKVCache):
            if cache.offset != len(token_ids):
                raise CacheError(
                    f"{len(token_ids)} token ids do not fit a cache that saw {cache.offset}."
                )
            # The live cache goes on in the very order that a restored one will have.
            cache.tidy()
    arrays: list[NDArray[Any]] = [np.array(list(token_ids), np.int32)]
    states = [_described(cache.state, arrays) for cache in caches]
    first = next((cache for cache in caches if isinstance(cache, EvictingKVCache)), None)
    facts = {
        "format": FORMAT,
        "version": VERSION,
        "fingerprint": fingerprint(model),
        "classes": json.dumps([type(cache).__name__ for cache in caches]),
        "states": json.dumps(states),
        "endless": json.dumps(first is not None and first.spans.window is not None),
    }
    facts["sha256"] = _checksum(facts, arrays)
    tensors = {str(i): array for i, array in enumerate(arrays)}
    _write_atomically(Path(path), save(tensors, facts))


def load_caches(path: str | Path, model: Any) -> SavedCaches:
    """Restore what :func:`save_caches` wrote; the next logits are equal to what they were.

    Raises:
        SavedCacheError: The file is missing, damaged or edited, of another format version, or
            belongs to another model.
    """
    facts, arrays = _read(Path(path))
    if facts.get("format") != FORMAT:
        raise SavedCacheError("This file is no saved memory of a chat.")
    if facts.get("version") != VERSION:
        raise SavedCacheError(
            f"This saved memory has format version {facts.get('version')}; this Velox reads "
            f"version {VERSION}. Re-read the conversation instead."
        )
    if facts.get("sha256") != _checksum(facts, arrays):
        raise SavedCacheError(DAMAGED)
    if facts["fingerprint"] != fingerprint(model):
        raise SavedCacheError(
            "This saved memory belongs to another model. Re-read the conversation instead."
        )
    states = [_restored(state, arrays) for state in json.loads(facts["states"])]
    classes = json.loads(facts["classes"])
    caches = _empty_caches(model, classes, states, facts["endless"] == "true")
    if [type(cache).__name__ for cache in caches] != classes:
        raise SavedCacheError(
            "This saved memory does not fit how the model runs now. "
            "Re-read the conversation instead."
        )
    for cache, state in zip(caches, states, strict=True):
        kept = getattr(cache, "keeps_attended", None)
        cache.state = state
        if kept is not None:
            cache.keeps_attended = kept
    return SavedCaches(caches, arrays[0].tolist())


def fingerprint(model: Any) -> str:
    """What tells this model from others: names, shapes, dtypes and a few numbers of all weights."""
    weights = sorted(tree_flatten(model.parameters()))
    heads = [weight.reshape(-1)[:_SAMPLE].astype(mx.float32) for _, weight in weights]
    mx.eval(heads)
    digest = hashlib.sha256()
    for (name, weight), head in zip(weights, heads, strict=True):
        digest.update(f"{name} {weight.shape} {weight.dtype}".encode())
        digest.update(np.array(head).tobytes())
    return digest.hexdigest()


def _empty_caches(
    model: Any, classes: list[str], states: list[Any], endless: bool
) -> BoundedCaches:
    """Caches of the kinds that were saved, hooked and ready to be filled."""
    bounded = [
        EvictingKVCache.from_state(state)
        for name, state in zip(classes, states, strict=True)
        if name.endswith("EvictingKVCache") or name == "TOVAKVCache"
    ]
    if not bounded:
        return BoundedCaches(native_caches(model))
    first = bounded[0]
    config = KVCacheConfig(
        method=first.method,
        tova_budget=first.budget,
        tova_n_sink=first.n_sink,
        tova_signal="key" if first.signal == "key" else "query",
        endless=endless,
    )
    return KVCacheBuilder.for_model(model, config)


def _described(state: Any, arrays: list[NDArray[Any]]) -> Any:
    """``state`` as JSON; its arrays are added to ``arrays`` and referred to by number."""
    if isinstance(state, mx.array):
        # NumPy has no bfloat16.
        brain = state.dtype == mx.bfloat16
        arrays.append(np.ascontiguousarray(state.view(mx.uint16) if brain else state))
        return {"array": len(arrays) - 1, "bfloat16": brain}
    if isinstance(state, list | tuple):
        return [_described(item, arrays) for item in state]
    if state is None or isinstance(state, int | float | str):
        return state
    raise CacheError(f"A cache of this model cannot be saved: it holds a {type(state).__name__}.")


def _restored(state: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(state, dict):
        array = mx.array(arrays[state["array"]])
        return array.view(mx.bfloat16) if state["bfloat16"] else array
    if isinstance(state, list):
        return [_restored(item, arrays) for item in state]
    return state


def _checksum(facts: dict[str, str], arrays: list[NDArray[Any]]) -> str:
    """Over everything but itself."""
    rest = {key: value for key, value in facts.items() if key != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode())
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _read(path: Path) -> tuple[dict[str, str], list[NDArray[Any]]]:
    """The file's metadata and arrays; nothing of it is trusted before its checksum is."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SavedCacheError(f"The saved memory {path.name} cannot be read.") from error
    try:
        tensors = load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        return header.get("__metadata__") or {}, [tensors[str(i)] for i in range(len(tensors))]
    except (SafetensorError, ValueError, KeyError) as error:
        raise SavedCacheError(DAMAGED) from error


def _write_atomically(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as partial:
        try:
            partial.write(content)
            partial.flush()
            os.fsync(partial.fileno())
            Path(partial.name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(partial.name).unlink()
            raise
