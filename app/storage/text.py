"""Text from outside, made fit for the database and for one line."""

import re

_SPACES = re.compile(r"\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"^\s*(#{1,6}\s+|>\s*|[-*+]\s+|\d+[.)]\s+)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{2,3}|_{2,3}|`+|(?<!\w)\*)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_FENCE = re.compile(r"^\s*(```|~~~).*$", re.MULTILINE)
_RULE = re.compile(r"^[\s|:*_-]*(--|\*\*\*|___)[\s|:*_-]*$", re.MULTILINE)
_CELL_EDGE = re.compile(r"^[ \t]*\||\|[ \t]*$", re.MULTILINE)


def clean(text: str) -> str:
    """The text without what UTF-8 cannot hold (lone surrogates) and without NUL."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text.encode("utf-8", "replace").decode("utf-8") if not _encodes(text) else text


def one_line(text: str | None, max_chars: int) -> str:
    """The text on one line, cut after ``max_chars`` characters with an ellipsis."""
    line = _SPACES.sub(" ", clean(text or "")).strip()
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def without_marks(text: str) -> str:
    """The text without Markdown's headings, lists, quotations, links and emphasis."""
    return _EMPHASIS.sub(r"\2", _MARKS.sub("", _LINK.sub(r"\1", text)))


def preview(text: str | None, max_chars: int) -> str:
    """The beginning of a message on one line, as it reads: marks, fences and rules are left out."""
    text = _CELL_EDGE.sub("", _RULE.sub("", _FENCE.sub("", text or "")))
    return one_line(without_marks(text), max_chars)


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
