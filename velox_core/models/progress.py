"""How long jobs on models tell how far they are, and how they are stopped."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from velox_core.errors import ModelError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is: a short plain phrase and a fraction in 0..1."""

    stage: str
    fraction: float


@dataclass(frozen=True, slots=True)
class DownloadProgress(Progress):
    """How far a download is, in bytes; ``bytes_per_s`` is 0.0 until it is known."""

    done_nbytes: int = 0
    total_nbytes: int = 0
    bytes_per_s: float = 0.0


ProgressCallback = Callable[[Progress], None]


class StoppedError(ModelError):
    """The person stopped the job; nothing half-done is left behind."""


def ignore_progress(_progress: Progress) -> None:
    """The callback of those who do not watch."""


def raise_if_cancelled(cancel: threading.Event | None, what: str) -> None:
    """Leave the job when ``cancel`` is set.

    Raises:
        StoppedError: If it is.
    """
    if cancel is not None and cancel.is_set():
        raise StoppedError(f"{what} was stopped.")
