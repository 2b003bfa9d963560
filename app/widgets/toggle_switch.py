"""A switch: on or off at once."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.widgets import theme

_WIDTH, _HEIGHT = 30, 18


class ToggleSwitch(QAbstractButton):
    """A checkable button drawn as a switch; ``label`` is its accessible name."""

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setAccessibleName(label)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedSize(self.sizeHint())
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Return the switch's size, with room for the focus ring."""
        return QSize(_WIDTH + 4, _HEIGHT + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw track, knob and focus ring."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(2, 2, _WIDTH, _HEIGHT)
        fill = colours.accent if self.isChecked() else theme.mix(colours.base, colours.text, 0.25)
        if not self.isEnabled():
            fill = theme.mix(fill, colours.base, 0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        knob = _HEIGHT - 4
        right_to_left = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        at_end = self.isChecked() != right_to_left
        x = track.right() - knob - 2 if at_end else track.left() + 2
        painter.setBrush(colours.on_selection)
        painter.drawEllipse(QRectF(x, track.top() + 2, knob, knob))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colours.accent, 1.5))
            ring = track.adjusted(-1.25, -1.25, 1.25, 1.25)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)
