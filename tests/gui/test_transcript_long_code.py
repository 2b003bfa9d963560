"""Long lines of code go on in rows that are moved in and marked; what is copied is the code."""

import pytest
from PySide6.QtGui import QGuiApplication, QTextBlock

from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.look import HANGING_CHARS, Look
from tests.gui.test_transcript_source_map import make_body

LONG = "        total = " + " + ".join(f"value_{n}" for n in range(30))
CODE = f"def f():\n{LONG}\n\treturn total\nurl = '{'x' * 300}'"
RAW = f"Look:\n\n```python\n{CODE}\n```\n"


def line_of(body: MessageBody, text: str) -> QTextBlock:
    block = body.document().begin()
    while not block.text().strip().startswith(text):
        block = block.next()
    return block


def row_starts(block: QTextBlock) -> list[float]:
    layout = block.layout()
    return [layout.lineAt(row).x() for row in range(layout.lineCount())]


@pytest.mark.parametrize(("start", "own"), [("total", 8), ("url", 0)])
def test_rows_that_go_on_are_moved_in_beyond_their_line(qtbot, start, own) -> None:
    body = make_body(qtbot, RAW)
    char = Look(QGuiApplication.palette()).code_tab
    first, *others = row_starts(line_of(body, start))
    assert len(others) >= 2
    for x in others:
        assert x - first == pytest.approx((own + HANGING_CHARS) * char, abs=1)


def test_copied_code_is_exact_however_it_is_wrapped(qtbot) -> None:
    body = make_body(qtbot, RAW)
    assert body.code_at(body.document().findBlockByNumber(1).position()) == CODE
    body.set_width(300)
    assert body.code_at(body.document().findBlockByNumber(1).position()) == CODE
    block = line_of(body, "total")
    cursor = body.textCursor()
    cursor.setPosition(block.position())
    cursor.setPosition(block.position() + len(block.text()), cursor.MoveMode.KeepAnchor)
    body.setTextCursor(cursor)
    assert body.selected_raw() == LONG


def test_rows_are_moved_in_as_far_when_the_code_was_streamed(qtbot) -> None:
    whole = make_body(qtbot, RAW)
    body = MessageBody(Look(QGuiApplication.palette()), is_plain=False)
    qtbot.addWidget(body)
    body.set_width(600)
    for char in RAW:
        body.feed(char)
        body.work(float("inf"))
    body.finish()
    body.work(float("inf"))
    for start in ("total", "return", "url"):
        assert row_starts(line_of(body, start)) == row_starts(line_of(whole, start))


def test_hook_stands_before_a_row_that_goes_on(qtbot) -> None:
    body = make_body(qtbot, RAW)
    body.resize(600, body.content_height())
    body.show()
    image = body.grab().toImage()
    block = line_of(body, "url")
    top = body.document().documentLayout().blockBoundingRect(block).top()
    paper = image.pixelColor(595, round(top) + 20).lightness()

    def has_ink(row: int) -> bool:
        line = block.layout().lineAt(row)
        ys = range(round(top + line.y()) + 2, round(top + line.y() + line.height()) - 2)
        xs = range(15, round(line.x()) - 1)
        return any(abs(image.pixelColor(x, y).lightness() - paper) > 40 for x in xs for y in ys)

    assert has_ink(1)
    assert not row_starts(block)[0] > 20
