"""Find in the chat: a field, how many there are, and to the next or the one before."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.widgets import theme
from app.widgets.icon_button import IconButton
from app.widgets.labels import QuietLabel
from app.widgets.pane import Pane


class FindBar(Pane):
    """Hidden until :meth:`open_bar`; Esc closes it."""

    find_requested = Signal(str, bool, bool)  # text, forward, from the start
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", ("bottom",), parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Find in this chat"))
        self.field.setAccessibleName(self.tr("Find in this chat"))
        self.field.setClearButtonEnabled(True)
        self._count = QuietLabel("", self)
        self.previous_button = IconButton("up", self.tr("Previous (⇧⌘G)"), self)
        self.next_button = IconButton("down", self.tr("Next (⌘G)"), self)
        self.close_button = IconButton("close", self.tr("Close (Esc)"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.TRANSCRIPT_MARGIN, 6, theme.M, 7)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        for button in (self.previous_button, self.next_button, self.close_button):
            row.addWidget(button)
        self.field.textChanged.connect(lambda text: self.find_requested.emit(text, True, True))
        self.next_button.clicked.connect(lambda: self.find_next(True))
        self.previous_button.clicked.connect(lambda: self.find_next(False))
        self.close_button.clicked.connect(self.close_bar)
        self.field.installEventFilter(self)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar with its text selected, and look again."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text():
            self.find_requested.emit(self.field.text(), True, True)

    def close_bar(self) -> None:
        """Hide the bar."""
        self.hide()
        self.closed.emit()

    def find_next(self, forward: bool) -> None:
        """Ask for the next place, or the one before."""
        if self.isHidden():
            self.open_bar()
        elif self.field.text():
            self.find_requested.emit(self.field.text(), forward, False)

    def show_place(self, number: int, count: int) -> None:
        """Show which of how many places is marked."""
        if not self.field.text():
            self._count.setText("")
        elif count:
            text = self.tr("{number} of {count}").format(number=number, count=count)
            self._count.setText(text)
        else:
            self._count.setText(self.tr("not found"))

    def count_text(self) -> str:
        """Return what is said about the places."""
        return self._count.text()

    def eventFilter(self, watched, event: QEvent) -> bool:  # type: ignore[no-untyped-def]
        """Return finds the next place, Esc closes."""
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.find_next(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                return True
        return super().eventFilter(watched, event)
