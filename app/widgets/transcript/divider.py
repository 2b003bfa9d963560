"""A line across the transcript with a few words in it."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets.transcript.look import Look

_FLAGS = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap


class Divider(QWidget):
    """Says, for example, from where on the model forgets."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._look: Look | None = None

    def show_text(self, text: str, look: Look) -> None:
        """Show ``text``."""
        self._text, self._look = text, look
        self.setAccessibleName(text)
        self.setFont(look.small_font)
        self.update()

    def height_for(self, width: int) -> int:
        """Return the height that the text needs."""
        return self._text_rect(width).height() + 4

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text between two hairlines."""
        if self._look is None:
            return
        painter = QPainter(self)
        text = self._text_rect(self.width())
        text.moveCenter(self.rect().center())
        painter.setPen(self._look.colours.secondary)
        painter.drawText(QRectF(text), int(_FLAGS), self._text)
        painter.setPen(QPen(self._look.colours.border, 1))
        gap, y = self._look.px(10), self.height() // 2
        if text.left() - gap > gap:
            painter.drawLine(0, y, text.left() - gap, y)
            painter.drawLine(text.right() + gap, y, self.width(), y)

    def _text_rect(self, width: int) -> QRect:
        room = QRect(0, 0, max(40, width - 40), 10_000)
        return self.fontMetrics().boundingRect(room, int(_FLAGS), self._text)
