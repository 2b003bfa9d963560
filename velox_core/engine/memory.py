"""Measured memory of mlx and the machine. Call it on the engine's thread."""

from dataclasses import dataclass

import mlx.core as mx
import psutil


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """What the machine has, in bytes.

    ``working_set_nbytes`` is what the GPU may use at once; without a GPU it is the whole memory.
    """

    total_nbytes: int
    working_set_nbytes: int


def active_nbytes() -> int:
    """Memory in bytes that mlx arrays hold now."""
    return mx.get_active_memory()


def device_memory() -> DeviceMemory:
    """The machine's memory and what a model may use of it."""
    total = psutil.virtual_memory().total
    limit = mx.device_info().get("max_recommended_working_set_size") if has_metal() else None
    return DeviceMemory(total, int(limit or total))


def has_metal() -> bool:
    """Whether mlx computes on a GPU here."""
    return mx.metal.is_available() and mx.default_device() == mx.gpu
