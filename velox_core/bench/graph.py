"""What one decode step of one layer costs, whatever the machine: primitives and rows copied."""

import io
import re
from collections import Counter
from dataclasses import is_dataclass
from typing import Any

import mlx.core as mx

from velox_core.bench.lockstep import attend_alone

HEADS, KV_HEADS, WIDTH = 4, 2, 16


def decode_primitives(cache: Any, n_prefill: int) -> Counter[str]:
    """Count the graph's primitives from a token's Q, K and V to the attention's output.

    Args:
        cache: One layer's empty cache.
        n_prefill: Tokens to feed first; enough that a bounded cache is full.

    Returns:
        Kind of primitive → how many, cache update and attention together. What the next step
        reads is counted too, since it is evaluated in the same step.
    """
    mx.random.seed(0)
    for width in (n_prefill, 1, 1):
        mx.eval(_step(cache, width))
        mx.eval(cache.state)
    token = [mx.random.normal((1, heads, 1, WIDTH)) for heads in (HEADS, KV_HEADS, KV_HEADS)]
    mx.eval(token)
    dot = io.StringIO()
    mx.export_to_dot(dot, _attend(cache, *token), *held_arrays(cache))
    return Counter(re.findall(r'label ?= ?"([^"]+)"', dot.getvalue()))


def rows_copied(primitives: Counter[str]) -> str:
    """How many K/V rows a decode step copies, read off the primitives that can copy."""
    whole = sum(primitives[kind] for kind in ("Concatenate", "Gather", "GatherAxis", "Copy"))
    return "all" if whole else "1"


def held_arrays(holder: Any) -> list[mx.array]:
    """Every array that a cache holds, itself or in a part of it."""
    names = getattr(holder, "__slots__", None) or vars(holder)
    held: list[mx.array] = []
    for value in (getattr(holder, name) for name in names):
        if isinstance(value, mx.array):
            held.append(value)
        elif is_dataclass(value):
            held.extend(held_arrays(value))
    return held


def _step(cache: Any, width: int) -> mx.array:
    shapes = ((1, heads, width, WIDTH) for heads in (HEADS, KV_HEADS, KV_HEADS))
    return _attend(cache, *(mx.random.normal(shape) for shape in shapes))


def _attend(cache: Any, queries: mx.array, keys: mx.array, values: mx.array) -> mx.array:
    return attend_alone(cache, queries, keys, values, WIDTH**-0.5, None)
