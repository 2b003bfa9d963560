"""Tables of a right-to-left text begin at the right, and still know where each word is from."""

from PySide6.QtGui import QGuiApplication, QTextTable

from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.look import Look
from tests.gui.test_transcript_source_map import make_body, shown

HEBREW = "טקסט\n\n| אחת | שתיים | שלוש |\n|---|---|--:|\n| אאא | 2.5 | גגג |\n\nסוף\n"
ENGLISH = "text\n\n| one | two |\n|---|---|\n| עברית | b |\n"


def table_of(body: MessageBody) -> QTextTable:
    frame = body.document().rootFrame().childFrames()[0]
    assert isinstance(frame, QTextTable)
    return frame


def row(table: QTextTable, number: int) -> list[str]:
    """A row's texts as they stand on screen, from left to right."""
    cells = [table.cellAt(number, column) for column in range(table.columns())]
    return [cell.firstCursorPosition().block().text() for cell in cells]


def word_x(body: MessageBody, raw: str, word: str) -> float:
    place = next(body.source_map.doc_ranges(raw.index(word), raw.index(word) + 1))
    cursor = body.textCursor()
    cursor.setPosition(place[0])
    return body.cursorRect(cursor).center().x()


def test_columns_run_from_the_right_when_the_heading_does(qtbot) -> None:
    body = make_body(qtbot, HEBREW)
    body.show()
    assert row(table_of(body), 0) == ["שלוש", "שתיים", "אחת"]
    assert row(table_of(body), 1) == ["גגג", "2.5", "אאא"]
    assert word_x(body, HEBREW, "אאא") > word_x(body, HEBREW, "2.5") > word_x(body, HEBREW, "גגג")
    assert word_x(body, HEBREW, "אחת") > 500


def test_columns_run_from_the_left_when_the_heading_does(qtbot) -> None:
    table = table_of(make_body(qtbot, ENGLISH))
    assert row(table, 0) == ["one", "two"]
    assert row(table, 1) == ["עברית", "b"]


def test_words_of_mirrored_columns_are_found_and_copied(qtbot) -> None:
    body = make_body(qtbot, HEBREW)
    for word in ("טקסט", "אחת", "שתיים", "שלוש", "אאא", "2.5", "גגג", "סוף"):
        assert shown(body, HEBREW, word) == word
    whole = body.source_map.raw_range(0, body.document().characterCount())
    assert whole == (0, HEBREW.index("סוף") + 3)
    cell = table_of(body).cellAt(1, 1)
    found = body.source_map.raw_range(cell.firstPosition(), cell.lastPosition())
    assert HEBREW[slice(*found)] == "2.5"


def test_mirrored_table_is_the_same_after_streaming(qtbot) -> None:
    body = MessageBody(Look(QGuiApplication.palette()), is_plain=False)
    qtbot.addWidget(body)
    for char in HEBREW:
        body.feed(char)
        body.work(float("inf"))
    body.finish()
    body.work(float("inf"))
    assert row(table_of(body), 1) == ["גגג", "2.5", "אאא"]
    for word in ("אחת", "2.5", "גגג", "סוף"):
        assert shown(body, HEBREW, word) == word
