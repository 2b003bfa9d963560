"""Attention that tells who was attended to, and the hook that shows a cache the true queries.

mlx-lm's model files import ``scaled_dot_product_attention`` by name, so the hook replaces that
name in each module whose attention the model uses. Caches that do not ask for queries go the
native way untouched, other models included.
"""

import sys
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import mlx.core as mx

NAME = "scaled_dot_product_attention"
_ORIGINAL = "_velox_original"


def attend_newest(
    queries: mx.array, keys: mx.array, values: mx.array, scale: float, sinks: mx.array | None
) -> tuple[mx.array, mx.array]:
    """Attention of one query and its weights, reading keys and values once.

    Args:
        queries: ``(1, n_heads, 1, D)``.
        keys: ``(1, n_kv_heads, L, D)``.
        values: ``(1, n_kv_heads, L, D)``.
        scale: What products are multiplied by.
        sinks: ``(n_heads,)`` logits of learned attention sinks, or None.

    Returns:
        The output ``(1, n_heads, 1, D)`` and the fp32 weights ``(1, n_kv_heads, 1, L)`` averaged
        over the query heads that share a KV head.
    """
    weights = _weights(queries, keys, scale, sinks, None)
    output = weights.astype(values.dtype) @ values
    return output.reshape(1, queries.shape[1], 1, values.shape[3]), _shared(weights)


def newest_weights(
    queries: mx.array,
    keys: mx.array,
    scale: float,
    sinks: mx.array | None,
    mask: mx.array | str | None,
) -> mx.array:
    """The last query's weights, fp32 ``(1, n_kv_heads, 1, L)``; arguments as attention's."""
    row = mask[..., -1:, :] if isinstance(mask, mx.array) else None
    return _shared(_weights(queries[:, :, -1:], keys, scale, sinks, row))


def _weights(
    queries: mx.array,
    keys: mx.array,
    scale: float,
    sinks: mx.array | None,
    mask: mx.array | None,
) -> mx.array:
    """Softmax of one query over all rows: fp32 ``(1, n_kv_heads, n_heads / n_kv_heads, L)``."""
    _, n_heads, _, width = queries.shape
    _, n_kv_heads, length, _ = keys.shape
    group = n_heads // n_kv_heads
    # Query heads that share a KV head are consecutive. Each is a product of its own: one row times
    # a matrix is faster than a few rows.
    grouped = (queries * scale).reshape(1, n_kv_heads, group, 1, width)
    scores = grouped @ keys[:, :, None].swapaxes(-1, -2)
    scores = scores.reshape(1, n_kv_heads, group, length).astype(mx.float32)
    if mask is not None:
        row = mx.broadcast_to(mask, (1, n_heads, 1, length))
        row = row.reshape(1, n_kv_heads, group, length)
        scores = mx.where(row, scores, -mx.inf) if mask.dtype == mx.bool_ else scores + row
    if sinks is None:
        return mx.softmax(scores, axis=-1)
    logits = sinks.astype(mx.float32).reshape(1, n_kv_heads, group, 1)
    return mx.softmax(mx.concatenate([scores, logits], axis=-1), axis=-1)[..., :length]


def _shared(weights: mx.array) -> mx.array:
    """Average over the query heads of each KV head."""
    _, n_kv_heads, group, _ = weights.shape
    if group == 1:
        return weights
    return _averaging(n_kv_heads, group) @ weights


@lru_cache
def _averaging(n_kv_heads: int, group: int) -> mx.array:
    """What averages a group in one product: fewer primitives than a mean."""
    shares = mx.full((1, n_kv_heads, 1, group), 1.0 / group)
    # Evaluated here: the cached array may be used on another thread, which has not its stream.
    mx.eval(shares)
    return shares


def install_hook(model: Any) -> tuple[str, ...]:
    """Show the caches of ``model`` their queries; installing twice changes nothing.

    Returns:
        The names of the modules whose attention now asks the cache first.
    """
    hooked = [module for module in _modules(model) if callable(getattr(module, NAME, None))]
    for module in hooked:
        original = getattr(module, NAME)
        if not hasattr(original, _ORIGINAL):
            setattr(module, NAME, _asking(original))
    return tuple(sorted(module.__name__ for module in hooked))


def remove_hook(model: Any) -> None:
    """Take the hook off again; bounded caches of models that share the module lose it too."""
    for module in _modules(model):
        original = getattr(getattr(module, NAME, None), _ORIGINAL, None)
        if original is not None:
            setattr(module, NAME, original)


def _modules(model: Any) -> set[ModuleType]:
    """The Python modules that the parts of ``model`` come from."""
    names = {type(part).__module__ for part in model.modules()}
    return {sys.modules[name] for name in names if name in sys.modules}


def _asking(original: Callable[..., mx.array]) -> Callable[..., mx.array]:
    """``original``, but a cache that wants the queries answers instead."""

    def scaled_dot_product_attention(
        queries: mx.array,
        keys: mx.array,
        values: mx.array,
        cache: Any = None,
        scale: float = 1.0,
        mask: mx.array | str | None = None,
        sinks: mx.array | None = None,
        **rest: Any,
    ) -> mx.array:
        def native() -> mx.array:
            return original(
                queries, keys, values, cache=cache, scale=scale, mask=mask, sinks=sinks, **rest
            )

        if getattr(cache, "wants_query", False):
            return cache.attend(queries, keys, values, scale, mask, sinks, native)
        return native()

    setattr(scaled_dot_product_attention, _ORIGINAL, original)
    return scaled_dot_product_attention
