"""What is painted around the text of a message: code boxes, quote bars, bullets, rules."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QTextBlock, QTextDocument

from app.widgets.transcript.geometry import block_extent, cursor_x, kind, opens_code_box
from app.widgets.transcript.look import (
    CODE_PADDING_Y,
    INDENT,
    LANGUAGE,
    MARKER,
    QUOTES,
    Look,
)

MAX_LABEL = 12  # characters of the name of a language


def paint_code_boxes(
    painter: QPainter, blocks: Iterable[QTextBlock], look: Look, width: float
) -> None:
    """Paint a rounded box under each run of code lines."""
    box: QRectF | None = None
    for block in blocks:
        if kind(block) != "code" or (box is not None and opens_code_box(block)):
            _paint_box(painter, box, look)
            box = None
        if kind(block) == "code":
            top, bottom = block_extent(block)
            left = block.blockFormat().indent() * look.px(INDENT)
            padding = look.px(CODE_PADDING_Y)
            line = QRectF(left, top - padding, width - left, bottom - top + 2 * padding)
            box = line if box is None else box.united(line)
    _paint_box(painter, box, look)


def _paint_box(painter: QPainter, box: QRectF | None, look: Look) -> None:
    if box is None:
        return
    painter.setPen(QPen(look.colours.border, 1))
    painter.setBrush(look.colours.code)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), look.px(8), look.px(8))


def paint_block(painter: QPainter, block: QTextBlock, look: Look, width: float) -> None:
    """Paint the bars, bullet, rule or hooks that belong to one block."""
    form = block.blockFormat()
    is_rtl = block.textDirection() == Qt.LayoutDirection.RightToLeft
    top, bottom = block_extent(block)
    indent = look.px(INDENT)
    if quotes := form.property(QUOTES):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colours.border)
        for depth in str(quotes).split(","):
            inset = int(depth) * indent + look.px(4)
            x = width - inset - look.px(3) if is_rtl else float(inset)
            above = form.topMargin() if _is_quoted(block.previous(), depth) else 0
            painter.drawRoundedRect(QRectF(x, top - above, look.px(3), bottom - top + above), 1, 1)
    if kind(block) == "rule":
        painter.setPen(QPen(look.colours.border, 1))
        y = round((top + bottom) / 2) + 0.5
        painter.drawLine(QPointF(form.indent() * indent, y), QPointF(width, y))
    if kind(block) == "code":
        _paint_hooks(painter, block, look)
    if marker := form.property(MARKER):
        _paint_marker(painter, block, str(marker), look, is_rtl, width)


def _paint_hooks(painter: QPainter, block: QTextBlock, look: Look) -> None:
    """Mark the rows on which a long line of code goes on."""
    origin = block.document().documentLayout().blockBoundingRect(block).topLeft()
    painter.setPen(QPen(look.colours.secondary, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    size = look.code_tab
    for index in range(1, block.layout().lineCount()):
        line = block.layout().lineAt(index)
        x = origin.x() + line.x() - 2.5 * size
        y = origin.y() + line.y() + line.height() / 2
        tip = QPointF(x + 1.6 * size, y + size / 4)
        painter.drawPolyline([QPointF(x, y - size * 0.7), QPointF(x, tip.y()), tip])
        for side in (-0.4, 0.4):
            painter.drawLine(tip, tip + QPointF(-0.4 * size, side * size))


def _is_quoted(block: QTextBlock, depth: str) -> bool:
    quotes = block.blockFormat().property(QUOTES) if block.isValid() else None
    return depth in str(quotes or "").split(",")


def _paint_marker(
    painter: QPainter, block: QTextBlock, marker: str, look: Look, is_rtl: bool, width: float
) -> None:
    line = block.layout().lineAt(0)
    if not line.isValid():
        return
    top = block.document().documentLayout().blockBoundingRect(block).top()
    baseline = top + line.y() + line.ascent()
    edge = block.blockFormat().indent() * look.px(INDENT) - look.px(7)
    size = QFontMetricsF(look.body_font).horizontalAdvance(marker)
    x = width - edge if is_rtl else max(0.0, edge - size)
    painter.setFont(look.body_font)
    painter.setPen(look.text)
    painter.drawText(QPointF(x, baseline), marker)


def paint_code_label(painter: QPainter, block: QTextBlock, look: Look, button: QRect) -> None:
    """Write the language of a code box to the left of its button."""
    if not opens_code_box(block):
        return
    language = str(block.blockFormat().property(LANGUAGE) or "")[:MAX_LABEL]
    painter.setFont(look.label_font)
    painter.setPen(look.colours.secondary)
    room = QRect(0, button.top(), button.left() - 2, button.height())
    align = Qt.AlignmentFlag
    flags = align.AlignRight | align.AlignAbsolute | align.AlignVCenter
    painter.drawText(room, flags, language)


def caret_rect(document: QTextDocument, look: Look) -> QRectF:
    """Return where the block stands that ends a streaming reply."""
    block = document.lastBlock()
    width, height = look.px(4), look.px(15)
    top, bottom = block_extent(block)
    if kind(block) == "code":
        return QRectF(0, bottom + look.px(CODE_PADDING_Y + 8), width, height)
    line = block.layout().lineAt(block.layout().lineCount() - 1)
    if not line.isValid():
        return QRectF(0, top, width, height)
    x = cursor_x(line, block.length() - 1) + (2 if block.length() > 1 else 0)
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    return QRectF(origin.x() + x, origin.y() + line.y(), width, max(height, line.height()))
