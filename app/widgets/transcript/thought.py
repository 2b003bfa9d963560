"""What a model thought before it answered: folded away, one click from sight."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.look import Look
from app.widgets.transcript.quiet_button import QuietButton

_INSET = 14


class ThoughtBox(QWidget):
    """A line "Thought for 12 s" that unfolds into the thought itself."""

    toggled = Signal()
    body_made = Signal(MessageBody)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._button = QuietButton("", self)
        self._button.setCheckable(True)
        self._button.toggled.connect(self._on_toggled)
        self._caption = ""
        self._look: Look | None = None
        self.body: MessageBody | None = None
        self._raw, self._base, self._growing = "", 0, False

    @property
    def button(self) -> QuietButton:
        """The line that folds and unfolds."""
        return self._button

    def show_thought(self, raw: str, base: int, caption: str, look: Look, *, growing: bool) -> None:
        """Show a thought.

        Args:
            raw: Its text.
            base: Where that starts in the message.
            caption: What the line says.
            look: Fonts and colours.
            growing: Whether the model still thinks.
        """
        self._raw, self._base, self._look, self._growing = raw, base, look, growing
        self._caption = caption
        self._button.set_look(look.small_font, look.colours)
        self._write_button()
        self._fill()

    def arrange(self, width: int) -> int:
        """Place everything within ``width``; return the height."""
        size = self._button.sizeHint()
        x = -4 if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else width - size.width()
        self._button.setGeometry(x, 0, min(size.width(), width + 4), size.height())
        if self.body is None or not self._button.isChecked():
            return size.height()
        self.body.set_width(width - _INSET)
        height = self.body.content_height()
        left = _INSET if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else 0
        self.body.setGeometry(left, size.height() + 4, width - _INSET, height)
        return size.height() + 4 + height

    def holds(self, offset: int) -> bool:
        """Return whether a raw offset of the message lies in the thought."""
        return self._base <= offset < self._base + len(self._raw)

    def set_look(self, look: Look) -> None:
        """Draw everything again in other colours or another size."""
        self._look = look
        self._button.set_look(look.small_font, look.colours)
        if self.body:
            self.body.set_look(look.quiet)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar beside the unfolded thought."""
        if self._look and self.body and self._button.isChecked():
            painter = QPainter(self)
            left = self.layoutDirection() == Qt.LayoutDirection.LeftToRight
            x = 2 if left else self.width() - 5
            top = self.body.y()
            painter.fillRect(x, top, 3, self.height() - top, self._look.colours.border)

    def _fill(self) -> None:
        if self.body is None or self._look is None:
            return
        if self._raw.startswith(self.body.raw) and self.body.base == self._base:
            self.body.feed(self._raw[len(self.body.raw) :])
        else:
            self.body.set_raw(self._raw, self._base)
        if not self._growing:
            self.body.finish()

    def _on_toggled(self, unfolded: bool) -> None:
        if unfolded and self.body is None and self._look is not None:
            self.body = MessageBody(self._look.quiet, is_plain=False, parent=self)
            self.body.setAccessibleName(self.tr("Thought"))
            self.body_made.emit(self.body)
            self._fill()
        if self.body:
            self.body.setVisible(unfolded)
        self._write_button()
        self.update()
        self.toggled.emit()

    def _write_button(self) -> None:
        self._button.setText(("▾ " if self._button.isChecked() else "▸ ") + self._caption)
        self._button.setAccessibleName(self._caption)
