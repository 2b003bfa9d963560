"""Found words can be seen in a narrow row."""

import pytest
from PySide6.QtGui import QFontMetrics

from app.widgets import theme
from app.widgets.snippets import bring_into_view, to_utf16

TEXT = "…argument in Sourdough timing turns on a lighthouse detail and a lighthouse keeper"


def marks_of(word: str) -> tuple[tuple[int, int], ...]:
    first, last = TEXT.index(word), TEXT.rindex(word)
    return tuple((start, start + len(word)) for start in sorted({first, last}))


@pytest.mark.parametrize("width", [90, 120, 200])
def test_first_mark_is_brought_into_view(qapp, width):
    metrics = QFontMetrics(theme.font(theme.SMALL_SIZE))
    text, marks = bring_into_view(TEXT, marks_of("lighthouse"), metrics, width)
    assert [text[start:end] for start, end in marks] == ["lighthouse", "lighthouse"]
    assert metrics.horizontalAdvance(text[: marks[0][1]]) <= width
    assert text.startswith("…")
    assert TEXT.endswith(text[1:])


@pytest.mark.parametrize("marks", [(), marks_of("argument")])
def test_text_stays_where_nothing_is_hidden(qapp, marks):
    metrics = QFontMetrics(theme.font(theme.SMALL_SIZE))
    assert bring_into_view(TEXT, marks, metrics, 180) == (TEXT, marks)


def test_astral_characters_count_twice():
    assert to_utf16("🦊 fox", [(2, 5)]) == ((3, 6),)
