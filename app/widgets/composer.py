"""The composer: where a message is written, with its files, and sent or stopped."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.models.attachment import Attachment
from app.widgets import theme
from app.widgets.attachment_row import AttachmentRow
from app.widgets.composer_edit import ComposerEdit
from app.widgets.field_frame import FieldFrame
from app.widgets.icon_button import IconButton, RoundButton
from app.widgets.labels import ElidedLabel, QuietLabel
from app.widgets.pane import Pane
from app.widgets.sending_edit import keys_hint, send_key_name


class Composer(Pane):
    """Emits what the person wants; it never clears itself, for a message may be refused."""

    send_requested = Signal()
    stop_requested = Signal()
    attach_requested = Signal()
    files_dropped = Signal(list)  # local paths
    text_pasted = Signal(str)  # too long for the field, becomes an attachment
    attachment_removed = Signal(int)
    text_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._rows = QVBoxLayout()
        super().__init__("base", ("top",), parent)
        self.edit = ComposerEdit(self)
        self.attachments = AttachmentRow(self)
        self.attach_button = IconButton("plus", self.tr("Attach text files"), self)
        self.send_button = RoundButton("send", self.tr("Send"), self)
        self._keys = ElidedLabel("", self, theme.SMALL_SIZE, is_quiet=True)
        self._counts = QuietLabel("", self, theme.SMALL_SIZE)
        self._busy = False
        self._ready = True
        self._build()
        self.edit.submitted.connect(self._on_submitted)
        self.edit.escaped.connect(self.stop_requested)
        self.edit.files_dropped.connect(self.files_dropped)
        self.edit.text_pasted.connect(self.text_pasted)
        self.edit.textChanged.connect(self._on_text_changed)
        self.send_button.clicked.connect(self._on_button_clicked)
        self.attach_button.clicked.connect(self.attach_requested)
        self.attachments.remove_requested.connect(self.attachment_removed)
        self.set_sends_with_command(False)

    def text(self) -> str:
        """Return the text as typed."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put ``text`` into the field, the cursor at its end."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)

    def set_attachments(self, attachments: list[Attachment]) -> None:
        """Show the files that go along."""
        self._has_files = bool(attachments)
        self.attachments.set_attachments(attachments)
        self._show_button()

    def set_sends_with_command(self, with_command: bool) -> None:
        """Send with ⌘Return (Ctrl elsewhere) instead of Return, and say so."""
        self.edit.set_sends_with_command(with_command)
        self._sends_with_command = with_command
        self._show_button()
        keys = self.tr("{keys} · Esc stop").format(keys=keys_hint(with_command))
        self._keys.set_full_text(keys)

    def set_busy(self, busy: bool) -> None:
        """Offer to stop instead of to send."""
        self._busy = busy
        self._show_button()

    def set_ready(self, ready: bool) -> None:
        """Tell whether a message could be answered now; writing is always possible."""
        self._ready = ready
        self._show_button()

    def set_counts(self, text: str) -> None:
        """Show the token counts at the right end of the hint line."""
        self._counts.setText(text)

    def keys_hint(self) -> str:
        """Return what is said about the keys, as far as there is room for it."""
        return self._keys.text()

    def counts(self) -> str:
        """Return the token counts as shown."""
        return self._counts.text()

    def focus_edit(self) -> None:
        """Put the cursor into the field."""
        self.edit.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width of the window."""
        super().resizeEvent(event)
        self._line_up()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._line_up()

    def _build(self) -> None:
        self._has_files = False
        frame = FieldFrame(self.edit, self)
        for button in (self.attach_button, self.send_button):
            button.setCursor(Qt.CursorShape.ArrowCursor)
        line = QHBoxLayout()
        line.setSpacing(theme.S)
        bottom = Qt.AlignmentFlag.AlignBottom
        line.addWidget(self.attach_button, 0, bottom)
        line.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.send_button, 0, bottom)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(theme.XS, 10, theme.M, 10)
        inside.setSpacing(theme.S)
        inside.addWidget(self.attachments)
        inside.addLayout(line)
        hints = QHBoxLayout()
        hints.addWidget(self._keys, 1)
        hints.addWidget(self._counts)
        self.setLayout(self._rows)
        self._rows.setSpacing(6)
        self._rows.addWidget(frame)
        self._rows.addLayout(hints)
        self._line_up()
        self.setFocusProxy(self.edit)

    def _line_up(self) -> None:
        """Keep the field under the transcript's column, however wide the window is."""
        column = round(theme.COLUMN_WIDTH * theme.text_scale())
        side = max(theme.column_margin(self.width()), (self.width() - column) // 2)
        self._rows.setContentsMargins(side, theme.M, side, theme.M)
        self._rows.activate()

    def _show_button(self) -> None:
        self.send_button.set_glyph("stop" if self._busy else "send")
        send = self.tr("Send ({key})").format(key=send_key_name(self._sends_with_command))
        self.send_button.set_label(self.tr("Stop (Esc)") if self._busy else send)
        something = bool(self.text().strip()) or self._has_files
        self.send_button.setEnabled(self._busy or (self._ready and something))

    def _on_text_changed(self) -> None:
        self._show_button()
        self.text_changed.emit()

    def _on_submitted(self) -> None:
        if not self._busy:
            self.send_requested.emit()

    def _on_button_clicked(self) -> None:
        (self.stop_requested if self._busy else self.send_requested).emit()
