"""Text from outside, made fit for the database and for one line."""

import re

_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """The text without what UTF-8 cannot hold (lone surrogates) and without NUL."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode("utf-8", "replace").decode("utf-8") if not _encodes(text) else text


def one_line(text: str | None, max_chars: int) -> str:
    """The text on one line, cut after ``max_chars`` characters with an ellipsis."""
    line = _SPACES.sub(" ", clean(text or "")).strip()
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
