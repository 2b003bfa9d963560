"""Which addresses may be opened."""

from urllib.parse import urlsplit

SCHEMES = ("http", "https", "mailto")


def safe_url(address: str) -> str:
    """Return ``address`` when it is one that a click may open, else ""."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    if parts.scheme.lower() not in SCHEMES:
        return ""
    return address.strip() if parts.netloc or parts.scheme.lower() == "mailto" else ""
