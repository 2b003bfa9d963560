"""A small chart of one figure over budgets, each point with its value."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.models.formats import format_count
from app.widgets import theme

_DOT = 4.0
_LABEL_WIDTH = 90.0


class BudgetChart(QWidget):
    """Budgets on a logarithmic axis; dashed is the full cache, a filled dot the budget in use.

    Args:
        name: What is shown, for people who cannot see it.
        full: The full cache's value.
    """

    def __init__(self, name: str, full: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full = full
        self._budgets: list[int] = []
        self._values: list[float] = []
        self._labels: list[str] = []
        self._present = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def show_points(
        self, budgets: Sequence[int], values: Sequence[float], labels: Sequence[str], present: int
    ) -> None:
        """Show one point a budget, ``labels`` its value in words; ``present`` is an index or -1."""
        self._budgets, self._values, self._labels = list(budgets), list(values), list(labels)
        self._present = present
        told = [f"{format_count(b)}: {label}" for b, label in zip(budgets, labels, strict=True)]
        self.setAccessibleDescription(", ".join(told))
        self.update()

    def points(self) -> list[QPointF]:
        """Return where the points are, in the widget's coordinates."""
        return [
            QPointF(self._x(budget), self._y(value))
            for budget, value in zip(self._budgets, self._values, strict=True)
        ]

    def full_y(self) -> float:
        """Return the height of the full cache's line, in the widget's coordinates."""
        return self._y(self._full)

    def sizeHint(self) -> QSize:
        """Return room for the line, the values above it and the budgets below."""
        line = self.fontMetrics().lineSpacing()
        return QSize(260, 4 * line + 110)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the full cache's line, the points, and their labels."""
        if not self._values:
            return
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        points, area, full_y = self.points(), self._area(), self.full_y()
        painter.setPen(QPen(colours.secondary, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(0, full_y), QPointF(self.width(), full_y))
        painter.setPen(QPen(colours.accent, 2))
        painter.drawPolyline(QPolygonF(points))
        for index, point in enumerate(points):
            painter.setPen(QPen(colours.accent, 2))
            painter.setBrush(colours.accent if index == self._present else colours.base)
            painter.drawEllipse(point, _DOT, _DOT)
            weight = QFont.Weight.DemiBold if index == self._present else QFont.Weight.Normal
            painter.setFont(theme.font(theme.SMALL_SIZE, weight))
            line = painter.fontMetrics().lineSpacing()
            painter.setPen(colours.text)
            self._write(painter, point.x(), point.y() - _DOT - line - 1, self._labels[index])
            painter.setPen(colours.text if index == self._present else colours.secondary)
            below = area.bottom() + _DOT + line / 2
            self._write(painter, point.x(), below, format_count(self._budgets[index]))

    def _area(self) -> QRectF:
        line = self.fontMetrics().lineSpacing()
        side = min(_LABEL_WIDTH / 2, self.width() / 4)
        return QRectF(self.rect()).adjusted(side, 1.5 * line, -side, -2 * line)

    def _x(self, budget: int) -> float:
        area = self._area()
        first, last = math.log(self._budgets[0]), math.log(self._budgets[-1])
        if first == last:
            return area.center().x()
        return area.left() + (math.log(budget) - first) / (last - first) * area.width()

    def _y(self, value: float) -> float:
        area = self._area()
        shown = [self._full, *self._values]
        low, high = min(shown), max(shown)
        return area.bottom() - (value - low) / ((high - low) or 1.0) * area.height()

    def _write(self, painter: QPainter, x: float, top: float, text: str) -> None:
        line = painter.fontMetrics().lineSpacing()
        left = min(max(x - _LABEL_WIDTH / 2, 0.0), max(0.0, self.width() - _LABEL_WIDTH))
        box = QRectF(left, top, _LABEL_WIDTH, line)
        # Where the dashed line passes, the text comes first.
        width = painter.fontMetrics().horizontalAdvance(text) + 4
        behind = QRectF(box.center().x() - width / 2, top, width, line)
        painter.fillRect(behind, theme.colours(self.palette()).base)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignHCenter), text)
