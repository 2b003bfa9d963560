"""The models window: what is on this computer, and what could be fetched."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.models.model_row import ModelRow
from app.widgets import theme
from app.widgets.banner import BannerArea
from app.widgets.labels import QuietLabel, SectionTitle
from app.widgets.model_row_widget import ModelRowWidget
from app.widgets.pane import Hairline, Pane

_SIZE = (720, 600)


class ModelsWindow(Pane):
    """Two lists and a field for any other repository; emits what is wanted."""

    action_triggered = Signal(str, str)  # key of the row, its action
    folder_requested = Signal()
    refresh_requested = Signal()
    repository_requested = Signal(str)
    token_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("base", (), parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Models"))
        self.resize(*_SIZE)
        self.banners = BannerArea(self)
        self.local = _ModelList(self.tr("On this computer"), self)
        self.suggested = _ModelList(self.tr("Suggestions"), self)
        self.suggested.hide()
        self.add_button = QPushButton(self.tr("Add Folder…"), self)
        self.refresh_button = QPushButton(self.tr("Look Again"), self)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Another repository, as owner/name"))
        self.field.setAccessibleName(self.tr("Repository to download"))
        self.download_button = QPushButton(self.tr("Download"), self)
        self.download_button.setEnabled(False)
        self.token_button = QPushButton(self.tr("Access Token…"), self)
        self.download_row = QWidget(self)
        self._build()
        for rows in (self.local, self.suggested):
            rows.action_triggered.connect(self.action_triggered)
        self.add_button.clicked.connect(self.folder_requested)
        self.refresh_button.clicked.connect(self.refresh_requested)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.returnPressed.connect(self._on_download)
        self.download_button.clicked.connect(self._on_download)
        self.token_button.clicked.connect(self.token_requested)
        for key in (QKeySequence.StandardKey.Close, QKeySequence.StandardKey.Cancel):
            QShortcut(QKeySequence(key), self, self.close)

    def show_local(self, rows: Sequence[ModelRow], searching: bool = False) -> None:
        """Show the models on this computer."""
        if searching:
            self.local.show_rows(rows, self.tr("Looking…"))
        else:
            self.local.show_rows(
                rows, "" if rows else self.tr("There is no model on this computer yet.")
            )

    def show_suggested(self, rows: Sequence[ModelRow]) -> None:
        """Show what could be downloaded; the list and the field appear with it."""
        self.suggested.show_rows(rows, "")
        self.suggested.setVisible(bool(rows))

    def show_row(self, row: ModelRow) -> None:
        """Show the new state of the row with the same key."""
        for rows in (self.local, self.suggested):
            rows.show_row(row)

    def set_downloads(self, possible: bool) -> None:
        """Offer to download any repository, or not."""
        self.download_row.setVisible(possible)

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        self.show()
        self.raise_()
        self.activateWindow()

    def _build(self) -> None:
        content = QWidget(self)
        lists = QVBoxLayout(content)
        lists.setContentsMargins(theme.XL, theme.L, theme.XL, theme.L)
        lists.setSpacing(theme.L)
        lists.addWidget(self.local)
        lists.addWidget(self.suggested)
        lists.addStretch()
        area = QScrollArea(self)
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        download = QHBoxLayout(self.download_row)
        download.setContentsMargins(0, 0, 0, 0)
        download.addWidget(self.field, 1)
        download.addWidget(self.download_button)
        download.addWidget(self.token_button)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.refresh_button)
        buttons.addStretch()
        bottom = QVBoxLayout()
        bottom.setContentsMargins(theme.XL, theme.M, theme.XL, theme.L)
        bottom.setSpacing(theme.S)
        bottom.addWidget(self.download_row)
        bottom.addLayout(buttons)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.banners)
        rows.addWidget(area, 1)
        rows.addWidget(Hairline(self))
        rows.addLayout(bottom)
        self.download_row.hide()

    def _on_text_changed(self, text: str) -> None:
        self.download_button.setEnabled(bool(text.strip()))

    def _on_download(self) -> None:
        if name := self.field.text().strip():
            self.repository_requested.emit(name)


class _ModelList(QWidget):
    """A heading, rows parted by hairlines, and a line for when there is nothing."""

    action_triggered = Signal(str, str)

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._empty = QuietLabel("", self)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addWidget(SectionTitle(title, self))
        self._rows.addWidget(self._empty)
        self.widgets: dict[str, ModelRowWidget] = {}
        self._lines: list[QWidget] = []

    def show_rows(self, rows: Sequence[ModelRow], empty: str) -> None:
        if [row.key for row in rows] != list(self.widgets):
            self._rebuild(rows)
        for row in rows:
            self.show_row(row)
        self._empty.setText(empty)
        self._empty.setVisible(bool(empty))

    def show_row(self, row: ModelRow) -> None:
        if row.key in self.widgets:
            self.widgets[row.key].show_row(row)

    def _rebuild(self, rows: Sequence[ModelRow]) -> None:
        for widget in (*self.widgets.values(), *self._lines):
            self._rows.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.widgets, self._lines = {}, []
        for row in rows:
            if self.widgets:
                line = Hairline(self)
                self._rows.addWidget(line)
                self._lines.append(line)
            widget = ModelRowWidget(row, self)
            widget.action_triggered.connect(self.action_triggered)
            self._rows.addWidget(widget)
            self.widgets[row.key] = widget
