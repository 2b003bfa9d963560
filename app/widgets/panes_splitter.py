"""The three panes side by side, parted at a hairline."""

from PySide6.QtCore import QByteArray, QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from app.widgets import theme

_LEAST_SIDEBAR, _LEAST_CENTRE = 180, 360
_MOST_GROWTH = 1.5  # of the narrowest sidebar: more would push the window off a small screen
_SHARE = 0.28  # of the window that larger text may give to the sidebar


class PanesSplitter(QSplitter):
    """Sidebar, middle and panel. The sidebar keeps its width as counted in letters.

    Qt makes the grip of a handle that is one pixel wide a few pixels wide.
    """

    def __init__(self, sidebar: QWidget, centre: QWidget, panel: QWidget, parent: QWidget) -> None:
        self._sidebar = sidebar
        self._usual_width: float = theme.SIDEBAR_WIDTH  # at the usual text size
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHandleWidth(1)
        centre.setMinimumWidth(_LEAST_CENTRE)
        for place, (widget, stretch) in enumerate(((sidebar, 0), (centre, 1), (panel, 0))):
            self.addWidget(widget)
            self.setStretchFactor(place, stretch)
        self.setChildrenCollapsible(False)
        self._limit()
        width = self._sidebar_width(theme.WINDOW_SIZE[0])
        middle = theme.WINDOW_SIZE[0] - width - theme.PANEL_WIDTH
        self.setSizes([width, middle, theme.PANEL_WIDTH])
        self.splitterMoved.connect(self._on_moved)

    def restore(self, state: QByteArray) -> None:
        """Give the panes the widths that ``saveState`` told."""
        if self.restoreState(state):
            self._on_moved()

    def createHandle(self) -> QSplitterHandle:
        """Return what parts two panes."""
        return _Handle(self.orientation(), self)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._limit()
            before, middle, panel = self.sizes()
            if before:
                width = self._sidebar_width(sum(self.sizes()))
                self.setSizes([width, middle + before - width, panel])

    def _limit(self) -> None:
        growth = min(_MOST_GROWTH, _scale())
        self._sidebar.setMinimumWidth(round(_LEAST_SIDEBAR * growth))

    def _sidebar_width(self, total: int) -> int:
        most = max(self._usual_width, total * _SHARE)
        return max(self._sidebar.minimumWidth(), round(min(self._usual_width * _scale(), most)))

    def _on_moved(self) -> None:
        if width := self.sizes()[0]:
            self._usual_width = width / _scale()


def _scale() -> float:
    """Small text takes nothing away: there is more of each title to read then."""
    return max(1.0, theme.text_scale())


class _Handle(QSplitterHandle):
    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), theme.colours(self.palette()).border)
