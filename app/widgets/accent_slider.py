"""A slim slider with a round handle, and an optional mark for a suggested value."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from app.widgets import theme

_HANDLE = 18
_GROOVE = 4


class AccentSlider(QSlider):
    """A horizontal slider drawn alike everywhere; a click moves the handle there."""

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._mark: int | None = None
        self.setAccessibleName(label)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedHeight(_HANDLE + 4)

    def set_mark(self, value: int | None) -> None:
        """Mark ``value`` on the groove; None takes the mark away."""
        self._mark = value
        self.update()

    def mark_x(self) -> float | None:
        """Return where the mark is drawn, in widget coordinates."""
        return None if self._mark is None else self._x_of(self._mark)

    def sizeHint(self) -> QSize:
        """Return a comfortable width."""
        return QSize(200, _HANDLE + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw groove, filled part, mark and handle."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        x = self._x_of(self.sliderPosition())
        groove = QRectF(0, middle - _GROOVE / 2, self.width(), _GROOVE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.track)
        painter.drawRoundedRect(groove, _GROOVE / 2, _GROOVE / 2)
        filled = QRectF(groove)
        if self._mirrored():
            filled.setLeft(x)
        else:
            filled.setRight(x)
        painter.setBrush(colours.accent if self.isEnabled() else colours.secondary)
        painter.drawRoundedRect(filled, _GROOVE / 2, _GROOVE / 2)
        if self._mark is not None:
            painter.setPen(QPen(colours.success, 2))
            at = self._x_of(self._mark)
            painter.drawLine(QPointF(at, middle - 5), QPointF(at, middle + 5))
        handle = QRectF(x - _HANDLE / 2, middle - _HANDLE / 2, _HANDLE, _HANDLE)
        edge = colours.accent if self.hasFocus() else theme.mix(colours.border, colours.text, 0.12)
        painter.setPen(QPen(edge, 2 if self.hasFocus() else 1))
        painter.setBrush(colours.on_selection)
        painter.drawEllipse(handle.adjusted(1, 1, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle under the pointer and begin to drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self.setSliderPosition(self._value_at(event.position().x()))
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self.setSliderPosition(self._value_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the drag."""
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel: scrolling must not change a value."""
        event.ignore()

    def _mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _x_of(self, value: int) -> float:
        span = max(1, self.maximum() - self.minimum())
        share = (value - self.minimum()) / span
        if self._mirrored():
            share = 1 - share
        return _HANDLE / 2 + share * (self.width() - _HANDLE)

    def _value_at(self, x: float) -> int:
        share = min(1.0, max(0.0, (x - _HANDLE / 2) / max(1, self.width() - _HANDLE)))
        if self._mirrored():
            share = 1 - share
        return self.minimum() + round(share * (self.maximum() - self.minimum()))
