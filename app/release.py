"""What this build knows about itself: its version, and where its releases are published."""

import importlib.metadata
import json
import logging
from urllib.parse import urlsplit

from velox_core import paths

logger = logging.getLogger(__name__)

# Written by packaging/release_info.py; a checkout has none, for it may come from anywhere.
_FILE = "release.json"


def version() -> str:
    """Velox's version."""
    try:
        return importlib.metadata.version("velox")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def releases_page() -> str:
    """The https address of the page with all releases; empty if this build was not told it."""
    file = paths.resources_dir() / _FILE
    if not file.is_file():
        return ""
    try:
        address = json.loads(file.read_text(encoding="utf-8"))["releases"]
        parts = urlsplit(address)
        if parts.scheme == "https" and parts.hostname:
            return str(address)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        logger.exception("%s cannot be read", file)
    return ""
