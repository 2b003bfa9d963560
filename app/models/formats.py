"""Numbers as a person reads them: bytes, counts, durations."""

_KB = 1000


def format_bytes(nbytes: int) -> str:
    """Return ``nbytes`` in decimal units as the Finder does: "56.0 MB", "1.94 GB"."""
    value = float(nbytes)
    for unit, digits in (("bytes", 0), ("KB", 1), ("MB", 1)):
        if value < _KB:
            return f"{value:.{digits}f} {unit}"
        value /= _KB
    return f"{value:.2f} GB"


def format_memory(nbytes: int) -> str:
    """Return the size of a machine's memory as it is sold: "16 GB"."""
    return f"{round(nbytes / 1024**3)} GB"


def format_process(nbytes: int) -> str:
    """Return a process's memory, which is never steadier than a megabyte: "843 MB", "1.94 GB"."""
    mega = nbytes / _KB**2
    return f"{mega:.0f} MB" if mega < _KB else f"{mega / _KB:.2f} GB"


def format_count(count: int) -> str:
    """Return ``count`` with thousands separated: "1,842"."""
    return f"{count:,}"


def short_count(count: int) -> str:
    """Return ``count`` for a scale's end: "64", "2k", "32k"."""
    if count < 1000:
        return str(count)
    return f"{count / 1024:.0f}k" if count % 1024 == 0 else f"{count / 1000:.3g}k"


def format_ratio(ratio: float) -> str:
    """Return a compression ratio: "3.6×", "1.04×" near one, from ten on without a decimal."""
    if 1.0 < ratio < 1.095:
        return f"{max(ratio, 1.01):.2f}×"
    return f"{ratio:.0f}×" if ratio >= 9.95 else f"{ratio:.1f}×"


def format_seconds(seconds: float) -> str:
    """Return a duration: "0.31 s", "12 s", "3 min 5 s"."""
    if seconds < 10:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"
