"""The system prompt of a chat, with presets to start from."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QInputDialog,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets import theme
from app.widgets.labels import plain_tip

_LINES = 5


class PromptEditor(QWidget):
    """A text field, a menu of presets, and a way to save an own one."""

    prompt_changed = Signal(str)  # by the person, with every key
    save_requested = Signal(str, str)  # name, text
    delete_requested = Signal(str)  # name of an own preset
    presets_requested = Signal()  # the menu opens; answer with set_presets

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = QPlainTextEdit(self)
        self.edit.setAccessibleName(self.tr("System prompt"))
        self.edit.setPlaceholderText(self.tr("What the model is told before the chat"))
        self.edit.setTabChangesFocus(True)
        self.edit.setFixedHeight(self.edit.fontMetrics().lineSpacing() * _LINES + theme.M)
        self.presets_button = QPushButton(self.tr("Presets"), self)
        self.menu = QMenu(self.presets_button)
        self.presets_button.setMenu(self.menu)
        self.save_button = QPushButton(self.tr("Save…"), self)
        self.save_button.setToolTip(self.tr("Save this prompt as a preset"))
        self._setting = False
        buttons = QHBoxLayout()
        buttons.addWidget(self.presets_button)
        buttons.addWidget(self.save_button)
        buttons.addStretch()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.S)
        rows.addWidget(self.edit)
        rows.addLayout(buttons)
        self.edit.textChanged.connect(self._on_text_changed)
        self.menu.aboutToShow.connect(self.presets_requested)
        self.save_button.clicked.connect(self._on_save_clicked)
        self.save_button.setEnabled(False)

    def prompt(self) -> str:
        """Return the prompt as it stands."""
        return self.edit.toPlainText()

    def set_prompt(self, text: str) -> None:
        """Show ``text``; no signal is sent."""
        if text != self.prompt():
            self._setting = True
            self.edit.setPlainText(text)
            self._setting = False

    def set_presets(self, presets: Sequence[tuple[str, str, bool]]) -> None:
        """Fill the menu: name, text, and whether it is one of the person's own."""
        self.menu.clear()
        for name, text, _own in presets:
            action = self.menu.addAction(name)
            action.setToolTip(plain_tip(text))
            action.triggered.connect(lambda _=False, t=text: self.edit.setPlainText(t))
        own = [name for name, _text, is_own in presets if is_own]
        if own:
            delete = self.menu.addMenu(self.tr("Delete Preset"))
            for name in own:
                action = delete.addAction(name)
                action.triggered.connect(lambda _=False, n=name: self.delete_requested.emit(n))

    def _on_text_changed(self) -> None:
        self.save_button.setEnabled(bool(self.prompt().strip()))
        if not self._setting:
            self.prompt_changed.emit(self.prompt())

    def _on_save_clicked(self) -> None:
        name, ok = QInputDialog.getText(self, self.tr("Save Preset"), self.tr("Name"))
        if ok and name.strip():
            self.save_requested.emit(name.strip(), self.prompt())
