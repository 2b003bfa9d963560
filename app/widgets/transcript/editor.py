"""Editing a message where it stands."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.widgets import theme
from app.widgets.field_frame import FieldFrame
from app.widgets.labels import ElidedLabel
from app.widgets.sending_edit import SendingEdit, keys_hint
from app.widgets.transcript.look import LINE_HEIGHT, Look

MAX_LINES = 14
_PADDING_X, _PADDING_Y = 14, 10


class MessageEditor(QWidget):
    """A text field with Send and Cancel; it sends with the composer's key, Escape cancels."""

    submitted = Signal(str)
    cancelled = Signal()
    height_changed = Signal()

    def __init__(self, text: str, look: Look, with_command: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._field = SendingEdit(text, self)
        self._field.setFont(look.body_font)
        self._field.setFrameShape(QFrame.Shape.NoFrame)
        self._field.document().setDocumentMargin(0)
        self._field.viewport().setAutoFillBackground(False)
        self._field.setAccessibleName(self.tr("Edit message"))
        self._hint = ElidedLabel("", self, theme.SMALL_SIZE, is_quiet=True)
        self._send = QPushButton(self.tr("Send"), self)
        self._send.setDefault(True)
        self._send.setToolTip(self.tr("Answer the new text; the old one stays as a version"))
        cancel = QPushButton(self.tr("Cancel"), self)
        cancel.setToolTip(self.tr("Leave the message as it was"))
        row = QHBoxLayout()
        row.addWidget(self._hint, 1)
        row.addWidget(cancel)
        row.addWidget(self._send)
        frame = FieldFrame(self._field, self)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(_PADDING_X, _PADDING_Y, _PADDING_X, _PADDING_Y)
        inside.addWidget(self._field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.S)
        layout.addWidget(frame, 1)
        layout.addLayout(row)
        self._field.submitted.connect(self._on_send)
        self._field.escaped.connect(self.cancelled)
        layout_of_text = self._field.document().documentLayout()
        layout_of_text.documentSizeChanged.connect(self.height_changed)
        self._send.clicked.connect(self._on_send)
        cancel.clicked.connect(self.cancelled)
        self.set_sends_with_command(with_command)

    def set_sends_with_command(self, with_command: bool) -> None:
        """Let Return break the line, so that only ⌘Return (Ctrl elsewhere) sends."""
        self._field.set_sends_with_command(with_command)
        keys = self.tr("{keys} · Esc cancel").format(keys=keys_hint(with_command))
        self._hint.set_full_text(keys)
        self._field.textChanged.connect(self._on_text_changed)
        self._on_text_changed()

    def text(self) -> str:
        """Return the text as it stands in the field."""
        return self._field.toPlainText()

    def focus(self) -> None:
        """Put the caret at the end of the text."""
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)
        self._field.setFocus()

    def height_for(self, width: int) -> int:
        """Return the height that shows up to ``MAX_LINES`` lines."""
        lines = min(MAX_LINES, max(2, self._lines(width - 2 * _PADDING_X)))
        height = lines * self._look.px(LINE_HEIGHT) + 2 * _PADDING_Y
        return height + theme.S + self._send.sizeHint().height()

    def _lines(self, width: int) -> int:
        if self._field.isVisible():
            return round(self._field.document().size().height())
        # Qt lays the text out when it is shown.
        text = self._field.toPlainText()
        return self._field.blockCount() + len(text) // max(1, width // self._look.px(7))

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
