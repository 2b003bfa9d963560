"""Tells the application where its releases are published, if whoever builds it says so.

The release workflow names its own repository's page in ``VELOX_RELEASES_URL``; a build without it
does not know, and says so when asked.
"""

import json
import os
from pathlib import Path
from urllib.parse import urlsplit

VARIABLE = "VELOX_RELEASES_URL"
FILE_NAME = "release.json"


def releases_url() -> str:
    """The address from the environment, empty without one.

    Raises:
        SystemExit: If it is not a plain https address.
    """
    address = os.environ.get(VARIABLE, "").strip()
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        plain = parts.scheme == "https" and bool(parts.hostname) and parts.username is None
    except ValueError:
        plain = False
    if not plain or not address.isascii() or not address.isprintable() or " " in address:
        raise SystemExit(f"{VARIABLE} is {address!r}; it must be an address that begins https://")
    return address


def write_release(folder: Path) -> Path | None:
    """Write ``release.json`` into ``folder``; None if there is nothing to tell."""
    address = releases_url()
    if not address:
        return None
    path = folder / FILE_NAME
    path.write_text(json.dumps({"releases": address}) + "\n", encoding="utf-8")
    return path
