"""Measured memory: the process, mlx, the machine. Call it on the engine's thread."""

import ctypes
import sys
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


def process_nbytes() -> int:
    """This process's memory in bytes: on macOS the physical footprint, else the resident set."""
    footprint = _physical_footprint() if sys.platform == "darwin" else None
    return footprint or psutil.Process().memory_info().rss


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


def _physical_footprint() -> int | None:
    """What Activity Monitor calls Memory; the resident set misses compressed and GPU pages."""
    # rusage_info_v0: a 16-byte uuid, seven 8-byte counters, then ri_phys_footprint.
    buffer = (ctypes.c_uint64 * 64)()
    try:
        libproc = ctypes.CDLL("/usr/lib/libproc.dylib")
        failed = libproc.proc_pid_rusage(psutil.Process().pid, 0, ctypes.byref(buffer))
    except (OSError, AttributeError):
        return None
    return None if failed else int(buffer[9])
