"""A list of folders to which one can be added and from which one can be taken."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets import theme
from app.widgets.labels import plain_tip

_ROWS = 3


class FolderList(QWidget):
    """Shows folders; a person adds and removes some."""

    folders_changed = Signal(object)  # tuple[str, ...]

    def __init__(self, parent: QWidget | None = None) -> None:
        self.list = QListWidget()
        super().__init__(parent)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.add_button = QPushButton(self.tr("Add Folder…"), self)
        self.remove_button = QPushButton(self.tr("Remove"), self)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.S)
        rows.addWidget(self.list)
        rows.addLayout(buttons)
        self.setFocusProxy(self.list)
        self.add_button.clicked.connect(self._on_add_clicked)
        self.remove_button.clicked.connect(self._on_remove_clicked)
        self.list.currentRowChanged.connect(self._on_row_changed)
        self._on_row_changed(-1)
        self._fit_rows()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_rows()

    def setAccessibleName(self, name: str) -> None:
        """Name the list itself, where the focus goes."""
        super().setAccessibleName(name)
        self.list.setAccessibleName(name)

    def folders(self) -> tuple[str, ...]:
        """The folders shown."""
        return tuple(self.list.item(row).text() for row in range(self.list.count()))

    def set_folders(self, folders: Sequence[str]) -> None:
        """Show ``folders``; nothing is told."""
        if tuple(folders) != self.folders():
            self.list.clear()
            for folder in folders:
                self.list.addItem(folder)
                self.list.item(self.list.count() - 1).setToolTip(plain_tip(folder))

    def add_folder(self, folder: str) -> None:
        """Add a folder that a person chose, once."""
        if folder and folder not in self.folders():
            self.set_folders((*self.folders(), folder))
            self.folders_changed.emit(self.folders())

    def _fit_rows(self) -> None:
        self.list.setFixedHeight(self.fontMetrics().lineSpacing() * _ROWS + theme.L)

    def _on_add_clicked(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Choose a folder with models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def _on_remove_clicked(self) -> None:
        row = self.list.currentRow()
        if row >= 0:
            self.list.takeItem(row)
            self.folders_changed.emit(self.folders())

    def _on_row_changed(self, row: int) -> None:
        self.remove_button.setEnabled(row >= 0)
