"""One line of text, cut so that what was looked for can be seen."""

from collections.abc import Sequence

from PySide6.QtGui import QFontMetrics

Marks = tuple[tuple[int, int], ...]  # pieces of a text, as (start, end) in characters

_CUT = "…"


def bring_into_view(
    text: str, marks: Marks, metrics: QFontMetrics, width: float
) -> tuple[str, Marks]:
    """Cut off the beginning of ``text`` where the first mark would end beyond ``width`` pixels.

    Returns:
        The text and the marks in it. As many whole words stay before the first mark as take half
        of the room that it leaves.
    """
    if not marks or metrics.horizontalAdvance(text[: marks[0][1]] + _CUT) <= width:
        return text, marks
    start, end = marks[0]
    room = (width - metrics.horizontalAdvance(_CUT + text[start:end] + _CUT)) / 2
    cut = start
    while (space := text.rfind(" ", 0, max(0, cut - 1))) >= 0:
        if metrics.horizontalAdvance(text[space + 1 : start]) > room:
            break
        cut = space + 1
    shift = cut - len(_CUT)
    return _CUT + text[cut:], tuple((first - shift, last - shift) for first, last in marks)


def to_utf16(text: str, marks: Sequence[tuple[int, int]]) -> Marks:
    """The marks as Qt counts them: a character beyond the basic plane counts twice."""
    return tuple((_units(text[:start]), _units(text[:end])) for start, end in marks)


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
