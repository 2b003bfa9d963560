"""A plain area in one of the window's background colours, with hairlines where panes meet."""

from typing import Literal

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.widgets import theme

Background = Literal["window", "panel", "base"]
Edge = Literal["left", "top", "right", "bottom"]


class Pane(QWidget):
    """Paints its background role and hairlines at ``edges``."""

    def __init__(
        self, background: Background, edges: tuple[Edge, ...] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._edges = edges

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the background and draw the hairlines."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.fillRect(self.rect(), getattr(colours, self._background))
        right, bottom = self.width() - 1, self.height() - 1
        lines = {
            "left": (0, 0, 0, bottom),
            "top": (0, 0, right, 0),
            "right": (right, 0, right, bottom),
            "bottom": (0, bottom, right, bottom),
        }
        painter.setPen(colours.border)
        for edge in self._edges:
            painter.drawLine(*lines[edge])


class Hairline(QWidget):
    """A thin line across, between two sections."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line."""
        QPainter(self).fillRect(self.rect(), theme.colours(self.palette()).border)
