"""Free space, and what the system's file errors mean in plain words."""

import errno
import shutil
from pathlib import Path

from velox_core.errors import ModelError

_HEADROOM = 200_000_000


def format_nbytes(nbytes: int) -> str:
    """A size as people read it: "850 MB", "4.2 GB" (powers of ten, like the Finder)."""
    if nbytes < 1_000_000:
        return f"{max(1, round(nbytes / 1e3))} KB"
    if nbytes < 999_500_000:
        return f"{round(nbytes / 1e6)} MB"
    return f"{nbytes / 1e9:.1f} GB"


def require_space(folder: Path, nbytes: int) -> None:
    """Check that ``nbytes`` more fit on the disk of ``folder``, with some headroom left.

    Raises:
        ModelError: If they do not; the sentence tells how much to free.
    """
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    missing = nbytes + _HEADROOM - shutil.disk_usage(existing).free
    if missing > 0:
        raise ModelError(
            f"The disk has too little room: {format_nbytes(nbytes)} are needed. "
            f"Free {format_nbytes(missing)} more and try again."
        )


def explain(error: OSError, folder: Path) -> str:
    """One plain sentence for a file error met while writing to ``folder``."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space and try again."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"Velox may not write to {folder}. Allow it, or set VELOX_HOME to another folder."
    return f"A file could not be written in {folder} ({error.strerror or error}). Try again."
