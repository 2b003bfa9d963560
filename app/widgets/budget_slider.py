"""The budget slider: logarithmic, with the suggested budget marked."""

import math

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.models.formats import format_count, short_count
from app.widgets import theme
from app.widgets.value_slider import ValueSlider

MINIMUM_BUDGET = 64
_PER_OCTAVE = 100
_STEPS_PER_OCTAVE = 8


class BudgetSlider(ValueSlider):
    """From 64 tokens to the model's window; each octave takes the same way.

    Signals:
        suggestion_clicked: the mark's label was clicked; it asks for the sum behind it.
    """

    suggestion_clicked = Signal()

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        self._suggested: int | None = None
        super().__init__(label, MINIMUM_BUDGET, 8192, parent)
        self.slider.setSingleStep(_PER_OCTAVE // 4)
        self.slider.setPageStep(_PER_OCTAVE)
        self._scale_line = _ScaleLine(self)
        self._rows.addWidget(self._scale_line)

    def set_suggested(self, budget: int | None, why: str = "") -> None:
        """Mark the suggested budget; ``why`` is the sum behind it, shown as a tool tip."""
        self._suggested = budget
        self.slider.set_mark(None if budget is None else self.position_of(budget))
        self.slider.setToolTip(why)
        self.slider.setAccessibleDescription(why)
        self._scale_line.setToolTip(why)
        self._scale_line.update()

    def suggested(self) -> int | None:
        """Return the suggested budget."""
        return self._suggested

    def position_of(self, value: int) -> int:
        """Return the slider position for a budget: its logarithm."""
        return round(math.log2(max(1, value)) * _PER_OCTAVE)

    def value_at(self, position: int) -> int:
        """Return a budget for a position: a round number near it, eight to the octave."""
        low, high = self.range()
        if position <= self.slider.minimum():
            return low
        if position >= self.slider.maximum():
            return high
        exact = 2 ** (position / _PER_OCTAVE)
        step = 2 ** math.floor(math.log2(exact)) // _STEPS_PER_OCTAVE or 1
        return min(high, max(low, round(exact / step) * step))


class _ScaleLine(QWidget):
    """The small labels under the slider: both ends and the suggestion under its mark."""

    def __init__(self, owner: BudgetSlider) -> None:
        super().__init__(owner)
        self._owner = owner
        self._spot = QRect()
        self.setMouseTracking(True)
        self.setFixedHeight(self._line_height())

    def changeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        """Follow the text size."""
        super().changeEvent(event)
        self.setFixedHeight(self._line_height())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that the label can be clicked."""
        on_it = self._spot.contains(event.position().toPoint())
        self.setCursor(Qt.CursorShape.PointingHandCursor if on_it else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ask for the sum behind the suggestion."""
        if self._spot.contains(event.position().toPoint()):
            self._owner.suggestion_clicked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the labels; the ends give way where the suggestion needs the room."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setFont(theme.font(theme.SMALL_SIZE))
        metrics = painter.fontMetrics()
        low, high = (short_count(v) for v in self._owner.range())
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            low, high = high, low
        # Absolute, or the painter mirrors them once more.
        left_end = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute
        right_end = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute
        spot = QRect()
        suggested, mark = self._owner.suggested(), self._owner.slider.mark_x()
        if suggested is not None and mark is not None:
            text = self.tr("suggested {count}").format(count=format_count(suggested))
            width = metrics.horizontalAdvance(text)
            left = min(max(0, round(mark - width / 2)), self.width() - width)
            spot = QRect(left, 0, width, self.height())
            painter.setPen(colours.success)
            painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, text)
        self._spot = spot
        painter.setPen(colours.secondary)
        free = spot.adjusted(-theme.S, 0, theme.S, 0)
        if spot.isNull() or free.left() > metrics.horizontalAdvance(low):
            painter.drawText(self.rect(), left_end, low)
        if spot.isNull() or free.right() < self.width() - metrics.horizontalAdvance(high):
            painter.drawText(self.rect(), right_end, high)

    def _line_height(self) -> int:
        return round(theme.SMALL_SIZE * theme.text_scale() * 1.5)
