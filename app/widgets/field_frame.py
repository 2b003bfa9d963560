"""The rounded box around a field for a message."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets import theme


class FieldFrame(QWidget):
    """A click anywhere in it goes to ``field``; its edge is stronger while the keys go there."""

    def __init__(self, field: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._field = field
        field.installEventFilter(self)
        self.setCursor(Qt.CursorShape.IBeamCursor)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show where the keys go."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        """Go to the field."""
        self._field.setFocus()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self._field.hasFocus()
        edge = theme.mix(colours.border, colours.text, 0.22) if focused else colours.border
        painter.setPen(QPen(edge, 1))
        painter.setBrush(colours.base)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, theme.RADIUS_LARGE, theme.RADIUS_LARGE)
