"""What one message is made of: text, thought, note, figures and the line under it."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.markdown.thinking import Parts, split_thought
from app.models.message_view import MessageView
from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.divider import Divider
from app.widgets.transcript.look import Look
from app.widgets.transcript.meta_line import MetaLine
from app.widgets.transcript.shades import Shade
from app.widgets.transcript.thought import ThoughtBox

FIRST_LOOK_S = 0.03  # what drawing a thought that is unfolded may take at once


class MessageContent(QWidget):
    """The parts of a message, filled from its :class:`MessageView`; who inherits places them."""

    height_changed = Signal(str)  # message id
    link_activated = Signal(str)
    link_hovered = Signal(str)
    code_copied = Signal(str)
    selection_made = Signal(str)  # message id
    selection_dragged = Signal(QPoint)  # where the pointer is, in global coordinates

    def __init__(self, message: MessageView, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._message, self._look = message, look
        self._status, self._divider_text = "", ""
        self._thought: ThoughtBox | None = None
        self._divider: Divider | None = None
        self._note: QLabel | None = None
        is_plain = message.role != "assistant"
        self.body = MessageBody(self._body_look(), is_plain=is_plain, parent=self)
        self._connect_body(self.body)
        self.meta = MetaLine(self)
        self._name()
        self.show_message(message)

    @property
    def message(self) -> MessageView:
        """What is shown."""
        return self._message

    def expect_width(self, width: int) -> None:
        """Lay the text of a reply out for ``width`` from the start."""
        if self._message.role != "user":
            self.body.set_width(width)

    def show_message(self, message: MessageView, thought_s: float | None = None) -> None:
        """Show the new state of the message; text that only grew is only added.

        Args:
            message: The message.
            thought_s: Seconds that its thought has taken so far, while that goes on.
        """
        self._message = message
        parts = Parts(0, 0, 0, closed=True)
        if message.role == "assistant":
            parts = split_thought(message.text, is_open=message.busy)
        self._show_thought(parts, thought_s)
        answer = message.text[parts.answer_start :]
        if self.body.base == parts.answer_start and answer.startswith(self.body.raw):
            self.body.feed(answer[len(self.body.raw) :])
        else:
            self.body.set_raw(answer, parts.answer_start)
        if not message.busy:
            self.body.finish()
        self.body.set_caret(message.busy and not self._status)
        self.meta.show_message(message, self._look)
        self._show_note()

    def show_status(self, status: str) -> None:
        """Show one grey line while there is no text yet."""
        self._status = status
        self.body.set_caret(self._message.busy and not status)
        self._show_note()

    def show_divider(self, text: str) -> None:
        """Draw a line with ``text`` under the message, or none for ""."""
        self._divider_text = text
        if text and self._divider is None:
            self._divider = Divider(self)
        if self._divider:
            self._divider.setVisible(bool(text))
            self._divider.show_text(text, self._look)

    def set_look(self, look: Look) -> None:
        """Draw everything again in other colours or another size."""
        self._look = look
        self.body.set_look(self._body_look())
        if self._thought:
            self._thought.set_look(look)
        self.meta.show_message(self._message, look)
        self.show_divider(self._divider_text)
        self._show_note()

    def set_shades(self, shades: Sequence[Shade]) -> None:
        """Shade raw ranges."""
        for body in self._bodies():
            body.set_shades(shades)

    def set_found(self, found: Sequence[Shade]) -> None:
        """Mark raw ranges as found."""
        for body in self._bodies():
            body.set_found(found)

    def set_tip(self, tip: Callable[[int], str] | None) -> None:
        """``tip(raw offset)`` is shown when the pointer rests on a word."""
        for body in self._bodies():
            body.set_tip(tip)

    def range_top(self, start: int, end: int) -> float | None:
        """Return how far down a raw range is shown, or None when it is not; unfolds a thought."""
        if self._thought and not self._thought.isHidden() and self._thought.holds(start):
            self._thought.button.setChecked(True)
        for body in self._bodies():
            top = body.range_top(start, end)
            if top is not None:
                return body.mapTo(self, QPoint(0, round(top))).y()
        return None

    def _connect_body(self, body: MessageBody) -> None:
        body.link_activated.connect(self.link_activated)
        body.link_hovered.connect(self.link_hovered)
        body.code_copied.connect(self.code_copied)
        body.selection_dragged.connect(self.selection_dragged)
        body.copyAvailable.connect(self._on_copy_available)

    @property
    def has_selection(self) -> bool:
        """Whether some of its text is selected."""
        return any(body.textCursor().hasSelection() for body in self._bodies())

    def clear_selection(self) -> None:
        """Select nothing."""
        for body in self._bodies():
            if body.textCursor().hasSelection():
                body.clear_selection()

    def _on_copy_available(self, is_available: bool) -> None:
        if is_available:
            self.selection_made.emit(self._message.id)

    def _bodies(self) -> list[MessageBody]:
        thought = self._thought.body if self._thought else None
        return [self.body, thought] if thought else [self.body]

    def _body_look(self) -> Look:
        return self._look.quiet if self._message.role == "system" else self._look

    def _show_thought(self, parts: Parts, thought_s: float | None) -> None:
        if not parts.has_thought:
            if self._thought:
                self._thought.hide()
            return
        if self._thought is None:
            self._thought = ThoughtBox(self)
            self._thought.toggled.connect(self._on_thought_toggled)
            self._thought.body_made.connect(self._connect_body)
        self._thought.show()
        seconds = self._message.thought_s if self._message.thought_s is not None else thought_s
        growing = self._message.busy and not parts.closed
        raw = self._message.text[parts.thought_start : parts.thought_end]
        caption = self._thought_caption(growing, parts.closed, seconds)
        self._thought.show_thought(raw, parts.thought_start, caption, self._look, growing=growing)

    def _thought_caption(self, growing: bool, closed: bool, seconds: float | None) -> str:
        if growing:
            if seconds is None or seconds < 1:
                return self.tr("Thinking…")
            return self.tr("Thinking… {seconds:.0f} s").format(seconds=seconds)
        if seconds is None:
            text = self.tr("Thought")
        elif seconds < 10:
            text = self.tr("Thought for {seconds:.1f} s").format(seconds=seconds)
        else:
            text = self.tr("Thought for {seconds:.0f} s").format(seconds=seconds)
        return text if closed else text + self.tr(" · cut off before an answer")

    def _show_note(self) -> None:
        text = self._message.error or (self._status if self._message.busy else "")
        if not text and self._note is None:
            return
        if self._note is None:
            self._note = QLabel(self)
            self._note.setTextFormat(Qt.TextFormat.PlainText)
            self._note.setWordWrap(True)
            self._note.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note.setFont(self._look.small_font)
        palette = self._note.palette()
        colours = self._look.colours
        colour = colours.danger if self._message.error else colours.secondary
        palette.setColor(self._note.foregroundRole(), colour)
        self._note.setPalette(palette)
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def note_text(self) -> str:
        """Return the error or status under the text, or ""."""
        return self._note.text() if self._note else ""

    def thought_caption(self) -> str:
        """Return what the folded thought says, or ""."""
        return self._thought.button.accessibleName() if self._thought else ""

    def thought_body(self) -> MessageBody | None:
        """Return the text of the thought, once it was unfolded."""
        return self._thought.body if self._thought else None

    def unfold_thought(self) -> None:
        """Show the thought."""
        if self._thought:
            self._thought.button.setChecked(True)

    @property
    def busy(self) -> bool:
        """Whether some of the text is not drawn yet."""
        return any(body.busy for body in self._bodies() if not body.isHidden())

    def work(self, deadline: float) -> bool:
        """Draw until ``deadline``; return whether the height may have changed."""
        changed = False
        for body in self._bodies():
            if not body.isHidden() and body.busy:
                changed |= body.work(deadline)
        return changed

    def _name(self) -> None:
        names = {
            "user": self.tr("Your message"),
            "assistant": self.tr("Reply"),
            "system": self.tr("System prompt"),
        }
        self.setAccessibleName(names[self._message.role])
        self.body.setAccessibleName(names[self._message.role])

    def _on_thought_toggled(self) -> None:
        if self._thought and self._thought.body:
            self._thought.body.work(time.perf_counter() + FIRST_LOOK_S)
        self.height_changed.emit(self._message.id)
