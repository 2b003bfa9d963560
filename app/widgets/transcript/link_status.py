"""Where a link leads, shown in the corner while the pointer is on it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets.transcript.look import Look

_MARGIN, _PADDING = 8, 6


class LinkStatus(QWidget):
    """One line at the bottom of its parent; too long an address loses its middle."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._look: Look | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def text(self) -> str:
        """What is shown, or ""."""
        return self._text

    def show_address(self, address: str, look: Look) -> None:
        """Show ``address``; hide for ""."""
        self._text, self._look = address, look
        self.setAccessibleName(address)
        self.setVisible(bool(address))
        parent = self.parentWidget()
        if not address or parent is None:
            return
        self.setFont(look.small_font)
        room = parent.width() - 2 * _MARGIN
        width = min(room, self.fontMetrics().horizontalAdvance(address) + 2 * _PADDING + 2)
        height = self.fontMetrics().height() + _PADDING
        self.setGeometry(_MARGIN, parent.height() - height - _MARGIN, width, height)
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the address on a small plate."""
        if self._look is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.colours.border, 1))
        painter.setBrush(self._look.colours.window)
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)
        painter.setPen(self._look.colours.text)
        inner = self.rect().adjusted(_PADDING, 0, -_PADDING, 0)
        middle = Qt.TextElideMode.ElideMiddle
        text = self.fontMetrics().elidedText(self._text, middle, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, text)
