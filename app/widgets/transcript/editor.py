"""Editing a message where it stands."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.widgets.sending_edit import SendingEdit, send_key_name
from app.widgets.transcript.look import LINE_HEIGHT, Look

MAX_LINES = 14


class MessageEditor(QWidget):
    """A text field with Send and Cancel; it sends with the composer's key, Escape cancels."""

    submitted = Signal(str)
    cancelled = Signal()

    def __init__(self, text: str, look: Look, with_command: bool, parent: QWidget) -> None:
        """``with_command``: Return breaks the line, ⌘Return (Ctrl elsewhere) sends."""
        super().__init__(parent)
        self._look = look
        self._field = SendingEdit(text, self)
        self._field.set_sends_with_command(with_command)
        self._field.setFont(look.body_font)
        self._field.setAccessibleName(self.tr("Edit message"))
        self._send = QPushButton(self.tr("Send"), self)
        self._send.setToolTip(
            self.tr("Answer the new text; the old one stays as a version ({key})").format(
                key=send_key_name(with_command)
            )
        )
        cancel = QPushButton(self.tr("Cancel"), self)
        cancel.setToolTip(self.tr("Leave the message as it was (Esc)"))
        row = QHBoxLayout()
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(self._send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._field)
        layout.addLayout(row)
        self._field.submitted.connect(self._on_send)
        self._field.escaped.connect(self.cancelled)
        self._send.clicked.connect(self._on_send)
        cancel.clicked.connect(self.cancelled)
        self._field.textChanged.connect(self._on_text_changed)
        self._on_text_changed()

    def focus(self) -> None:
        """Put the caret at the end of the text."""
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)
        self._field.setFocus()

    def height_for(self, width: int) -> int:
        """Return the height that shows up to ``MAX_LINES`` lines."""
        wrapped = len(self._field.toPlainText()) // max(1, width // self._look.px(7))
        lines = min(MAX_LINES, max(3, self._field.blockCount() + wrapped + 1))
        return lines * self._look.px(LINE_HEIGHT) + self._send.sizeHint().height() + 12

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def _on_send(self) -> None:
        if text := self._field.toPlainText().strip():
            self.submitted.emit(text)

    def _on_text_changed(self) -> None:
        self._send.setEnabled(bool(self._field.toPlainText().strip()))
