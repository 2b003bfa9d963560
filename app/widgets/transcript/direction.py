"""Which way a text runs."""

import unicodedata


def is_right_to_left(text: str) -> bool:
    """Return whether the first letter with a direction runs from right to left."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
