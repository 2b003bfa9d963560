"""The gauge: how many times smaller the cache is than the full one would be."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.models.formats import format_ratio
from app.widgets import theme

_THICKNESS = 14
_ARC_RADIUS = 100
_SIXTEENTHS = 16  # Qt's unit of angle


class Gauge(QWidget):
    """A half circle, filled by the share of the full cache that is held, with the ratio."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ratio: float | None = None
        self._caption = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clear()

    def set_ratio(self, ratio: float, bounded: bool = True) -> None:
        """Show ``ratio`` (full bytes over kept bytes, at least 1)."""
        self._ratio = max(1.0, ratio)
        if not bounded:
            self._caption = self.tr("full cache, no budget")
        elif self._ratio <= 1.0:
            self._caption = self.tr("everything is remembered")
        else:
            self._caption = self.tr("smaller than the full cache")
        self._describe()

    def clear(self) -> None:
        """Show that nothing is in the cache."""
        self._ratio = None
        self._caption = self.tr("the cache is empty")
        self._describe()

    def ratio(self) -> float | None:
        """Return the shown ratio; None while the cache is empty."""
        return self._ratio

    def caption(self) -> str:
        """Return the line under the number."""
        return self._caption

    def text(self) -> str:
        """Return the number as shown."""
        return "–" if self._ratio is None else format_ratio(self._ratio)

    def sizeHint(self) -> QSize:
        """Return room for the half circle and its text."""
        height = _ARC_RADIUS + _THICKNESS + theme.S
        return QSize(
            2 * _ARC_RADIUS + _THICKNESS, round(height * max(1.0, theme.text_scale() * 0.8))
        )

    def minimumSizeHint(self) -> QSize:
        """Return a height that never clips."""
        return QSize(140, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the track, the filled part and the text."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = min((self.width() - _THICKNESS) / 2, self.height() - _THICKNESS)
        centre_x, base_y = self.width() / 2, radius + _THICKNESS / 2
        arc = QRectF(centre_x - radius, base_y - radius, 2 * radius, 2 * radius)
        pen = QPen(colours.track, _THICKNESS)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawArc(arc, 0, 180 * _SIXTEENTHS)
        if self._ratio is not None:
            pen.setColor(colours.accent)
            painter.setPen(pen)
            span = max(1, round(180 / self._ratio * _SIXTEENTHS))
            painter.drawArc(arc, 180 * _SIXTEENTHS, -span)
        self._draw_text(painter, colours, base_y)

    def _draw_text(self, painter: QPainter, colours: theme.Colours, base_y: float) -> None:
        small = theme.font(theme.SMALL_SIZE)
        painter.setFont(small)
        line = painter.fontMetrics().height()
        caption = QRectF(0, base_y - line, self.width(), line + theme.XS)
        painter.setPen(colours.secondary)
        painter.drawText(caption, Qt.AlignmentFlag.AlignCenter, self._caption)
        painter.setFont(theme.font(theme.GAUGE_SIZE, QFont.Weight.Bold))
        tall = painter.fontMetrics().height()
        painter.setPen(colours.text)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        number = QRectF(0, caption.top() - tall + theme.XS, self.width(), tall)
        painter.drawText(number, Qt.AlignmentFlag.AlignCenter, self.text())

    def _describe(self) -> None:
        self.setAccessibleName(f"{self.text()} {self._caption}")
        self.setToolTip(
            self.tr("Counted: tokens seen, which the full cache holds, divided by tokens kept.")
        )
        self.update()
