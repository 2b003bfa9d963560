"""Measured memory of this process, on any thread and without mlx."""

import ctypes
import sys

import psutil


def process_nbytes() -> int:
    """This process's memory in bytes: on macOS the physical footprint, else the resident set."""
    footprint = _physical_footprint() if sys.platform == "darwin" else None
    return footprint or psutil.Process().memory_info().rss


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
