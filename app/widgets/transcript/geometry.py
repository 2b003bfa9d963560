"""Where the blocks and characters of a text document are."""

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QTextBlock, QTextDocument, QTextLine

from app.widgets.transcript.look import FIRST, KIND


def blocks_between(document: QTextDocument, top: float, bottom: float) -> Iterator[QTextBlock]:
    """Yield the text blocks that lie, wholly or in part, between two heights."""
    layout = document.documentLayout()
    position = layout.hitTest(QPointF(0, top), Qt.HitTestAccuracy.FuzzyHit)
    block = document.findBlock(max(0, position))
    if block.previous().isValid():
        block = block.previous()
    while block.isValid():
        if layout.blockBoundingRect(block).top() > bottom:
            break
        yield block
        block = block.next()


def kind(block: QTextBlock) -> str:
    """Return what kind of block the writer made."""
    return str(block.blockFormat().property(KIND) or "")


def opens_code_box(block: QTextBlock) -> bool:
    """Return whether a code box starts here."""
    return bool(block.blockFormat().property(FIRST))


def code_lines(document: QTextDocument, start: int) -> Iterator[QTextBlock]:
    """Yield the lines of the code box whose first line is at position ``start``."""
    block = document.findBlock(start)
    while block.isValid() and kind(block) == "code":
        yield block
        block = block.next()
        if opens_code_box(block):
            break


def block_extent(block: QTextBlock) -> tuple[float, float]:
    """Return the top and bottom of a block's lines, in document coordinates."""
    top = block.document().documentLayout().blockBoundingRect(block).top()
    layout = block.layout()
    if layout.lineCount() == 0:
        return top, top
    line = layout.lineAt(layout.lineCount() - 1)
    return top, top + line.y() + line.height()


def range_rects(block: QTextBlock, start: int, end: int) -> Iterator[QRectF]:
    """Yield a rectangle for each line of ``block`` on which document positions lie."""
    origin = block.document().documentLayout().blockBoundingRect(block).topLeft()
    layout = block.layout()
    first, last = start - block.position(), end - block.position()
    for index in range(layout.lineCount()):
        line = layout.lineAt(index)
        low = max(first, line.textStart())
        high = min(last, line.textStart() + line.textLength())
        if low >= high:
            continue
        x1, x2 = cursor_x(line, low), cursor_x(line, high)
        yield QRectF(min(x1, x2), line.y(), abs(x2 - x1), line.height()).translated(origin)


def cursor_x(line: QTextLine, position: int) -> float:
    """Return where in its text block the caret before ``position`` would stand."""
    value: object = line.cursorToX(position)
    return float(value[0] if isinstance(value, tuple) else value)  # type: ignore[arg-type]
