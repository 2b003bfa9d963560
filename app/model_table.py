"""``velox models``: what is on this computer, and what can be done with it."""

import sys

from velox_core.models.discover import FoundModel, find_models
from velox_core.models.disk import format_nbytes

_HEADINGS = ("MODEL", "SIZE", "KIND", "WINDOW", "CACHE", "MEMORY")
_CACHES = {"full": "bounded", "partly": "partly bounded", "none": "full only"}


def print_models() -> int:
    """Print one line a model to stdout, broken ones with the reason; the exit status."""
    models = find_models()
    if not models:
        sys.stdout.write("No model was found on this computer; 'make run' fetches the starter.\n")
        return 0
    usable = [model for model in models if not model.problem]
    rows = [_HEADINGS, *(_row(model) for model in usable)] if usable else []
    widths = [max(len(row[n]) for row in rows) for n in range(len(_HEADINGS))] if rows else []
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
    for model in models:
        if model.problem:
            sys.stdout.write(f"{model.name}: cannot be used. {model.problem}\n")
    return 0


def _row(model: FoundModel) -> tuple[str, ...]:
    facts, fit = model.facts, model.fit()
    if facts is None or fit is None:
        return (model.name, format_nbytes(model.nbytes), "", "", "", "")
    window = f"{facts.context_window:,}" if facts.context_window else "unknown"
    cache = _CACHES[facts.cache_support]
    size = format_nbytes(model.nbytes)
    return (model.name, size, facts.quantization, window, cache, f"{fit} (estimate)")
