"""The main window: toolbar, chats, conversation, memory panel. Layout only."""

from PySide6.QtCore import QByteArray, QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.widgets import theme
from app.widgets.banner import BannerArea
from app.widgets.composer import Composer
from app.widgets.composer_edit import local_files
from app.widgets.drop_hint import DropHint
from app.widgets.find_bar import FindBar
from app.widgets.memory_panel import MemoryPanel
from app.widgets.pane import Pane
from app.widgets.panes_splitter import PanesSplitter
from app.widgets.sidebar import Sidebar
from app.widgets.start_page import StartPage
from app.widgets.toolbar import Toolbar
from app.widgets.transcript import TranscriptView

_LEAST_HEIGHT = 440  # the composer with ten lines in it, and some of the conversation above
_MOST_GROWTH = 1.5  # with the text; more would be too much for a small screen


class MainWindow(QMainWindow):
    """Holds the parts; controllers wire them."""

    close_requested = Signal()
    panes_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Velox")
        self.resize(*theme.WINDOW_SIZE)
        self._limit_height()
        self.setAcceptDrops(True)
        self.toolbar = Toolbar(self)
        self.sidebar = Sidebar(self)
        self.banners = BannerArea(self)
        self.find_bar = FindBar(self)
        self.transcript = TranscriptView(self)
        self.start_page = StartPage(self)
        self.composer = Composer(self)
        self.panel = MemoryPanel(self)
        self._build()
        self.toolbar.sidebar_toggled.connect(self.toggle_sidebar)
        self.toolbar.panel_toggled.connect(self.toggle_panel)

    def show_conversation(self) -> None:
        """Show the transcript in the middle."""
        self._middle.setCurrentWidget(self.transcript)

    def show_start_page(self) -> None:
        """Show the start page in the middle."""
        self._middle.setCurrentWidget(self.start_page)

    def shows_start_page(self) -> bool:
        """Return whether the start page is in the middle."""
        return self._middle.currentWidget() is self.start_page

    def set_title(self, title: str) -> None:
        """Show the chat's title in toolbar and window title."""
        self.toolbar.set_title(title)
        self.setWindowTitle(f"{title} – Velox" if title else "Velox")

    def toggle_sidebar(self) -> None:
        """Show or hide the chats."""
        self.sidebar.setVisible(self.sidebar.isHidden())
        self.panes_changed.emit()

    def toggle_panel(self) -> None:
        """Show or hide the memory panel."""
        self.panel.setVisible(self.panel.isHidden())
        self.panes_changed.emit()

    def splitter_state(self) -> QByteArray:
        """Return how wide the panes are, for :meth:`restore_splitter`."""
        return self._splitter.saveState()

    def restore_splitter(self, state: QByteArray) -> None:
        """Give the panes their earlier widths."""
        self._splitter.restore(state)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._limit_height()

    def _limit_height(self) -> None:
        growth = max(1.0, min(_MOST_GROWTH, theme.text_scale()))
        self.setMinimumHeight(round(_LEAST_HEIGHT * growth))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files from anywhere over the window."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self.drop_hint.show_over()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """The files are elsewhere now."""
        self.drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach files that are dropped anywhere on the window."""
        self.drop_hint.hide()
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.composer.files_dropped.emit(files)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Stop a reply on Esc, wherever the keys are."""
        if event.key() == Qt.Key.Key_Escape:
            self.composer.stop_requested.emit()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave it to the controllers what closing means."""
        event.ignore()
        self.close_requested.emit()

    def _build(self) -> None:
        self._middle = QStackedWidget(self)
        self._middle.addWidget(self.transcript)
        self._middle.addWidget(self.start_page)
        centre = Pane("base", (), self)
        rows = QVBoxLayout(centre)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.banners)
        rows.addWidget(self.find_bar)
        rows.addWidget(self._middle, 1)
        rows.addWidget(self.composer)
        self.drop_hint = DropHint(centre)
        self._splitter = PanesSplitter(self.sidebar, centre, self.panel, self)
        page = QWidget(self)
        outer = QVBoxLayout(page)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.toolbar)
        outer.addWidget(self._splitter, 1)
        self.setCentralWidget(page)
        self.composer.focus_edit()
