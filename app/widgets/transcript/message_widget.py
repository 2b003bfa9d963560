"""One message: its text in a bubble or across the column, and what stands under it."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from app.markdown.thinking import Parts, split_thought
from app.models.message_view import MessageView
from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.divider import Divider
from app.widgets.transcript.editor import MessageEditor
from app.widgets.transcript.look import (
    BUBBLE_PADDING_X,
    BUBBLE_PADDING_Y,
    BUBBLE_SHARE,
    MESSAGE_GAP,
    Look,
)
from app.widgets.transcript.message_menu import message_menu
from app.widgets.transcript.meta_line import MetaLine
from app.widgets.transcript.shades import Shade
from app.widgets.transcript.thought import ThoughtBox

_SHORT = 2_000  # a longer message fills its bubble: no need to measure


class MessageWidget(QWidget):
    """Shows one :class:`MessageView`."""

    triggered = Signal(str, str)  # message id, action
    edited = Signal(str, str)  # message id, new text
    height_changed = Signal(str)

    def __init__(self, message: MessageView, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._message, self._look = message, look
        self._status, self._divider_text = "", ""
        self.bubble = QRect()
        self._editor: MessageEditor | None = None
        self._thought: ThoughtBox | None = None
        self._divider: Divider | None = None
        self._note: QLabel | None = None
        is_plain = message.role != "assistant"
        self.body = MessageBody(self._body_look(), is_plain=is_plain, parent=self)
        self.meta = MetaLine(self)
        self.meta.triggered.connect(self._on_triggered)
        self._name()
        self.show_message(message)

    # -- contents -----------------------------------------------------------------------------

    @property
    def message(self) -> MessageView:
        """What is shown."""
        return self._message

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

    # -- drawing in slices --------------------------------------------------------------------

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

    # -- size ---------------------------------------------------------------------------------

    def arrange(self, width: int) -> int:
        """Place everything within ``width``; return the height, the gap below included."""
        y = self._arrange_text(width)
        if self._note and not self._note.isHidden():
            height = self._note.heightForWidth(width)
            self._note.setGeometry(0, y + 4, width, height)
            y += height + 4
        y = self._arrange_meta(y, width)
        if self._divider and self._divider_text:
            height = self._divider.height_for(width)
            self._divider.setGeometry(0, y + self._look.px(2), width, height)
            y += height + self._look.px(2 + MESSAGE_GAP)
        return y

    def _arrange_text(self, width: int) -> int:
        if self._editor:
            height = self._editor.height_for(width)
            self._editor.setGeometry(0, 0, width, height)
            return height
        y = 0
        if self._thought and not self._thought.isHidden():
            height = self._thought.arrange(width)
            self._thought.setGeometry(0, 0, width, height)
            y = height + self._look.px(6)
        if self._message.role == "user":
            return self._arrange_bubble(width)
        self.body.set_width(width)
        height = self.body.content_height()
        is_empty = not self.body.raw and (bool(self._status) or bool(self._message.error))
        if is_empty or (y and not self.body.raw and not self._message.busy):
            height = 0
        self.body.setGeometry(0, y, width, height)
        return y + height

    def _arrange_bubble(self, width: int) -> int:
        pad_x, pad_y = self._look.px(BUBBLE_PADDING_X), self._look.px(BUBBLE_PADDING_Y)
        text_width = round(width * BUBBLE_SHARE) - 2 * pad_x
        self.body.set_width(text_width)
        if len(self.body.raw) < _SHORT:
            text_width = min(text_width, max(8, self.body.ideal_width() + 3))
            self.body.set_width(text_width)
        height = self.body.content_height()
        x = width - text_width - 2 * pad_x
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            x = 0
        self.bubble = QRect(x, 0, text_width + 2 * pad_x, height + 2 * pad_y)
        # Lines have their spare room above the letters; a little less padding there evens it out.
        self.body.setGeometry(x + pad_x, pad_y - self._look.px(2), text_width, height)
        self.update()
        return self.bubble.height()

    def _arrange_meta(self, y: int, width: int) -> int:
        gap = self._look.px(MESSAGE_GAP)
        if self._message.busy or self._editor or self._message.role == "system":
            self.meta.hide()
            return y + gap
        is_user = self._message.role == "user"
        top = y + self._look.px(1 if is_user else 6)
        self.meta.resize(width, 1)
        height = self.meta.arrange(width, trailing=is_user)
        self.meta.setGeometry(0, top, width, height)
        self.meta.show()
        return max(y + gap, top + height) if is_user else top + height + gap

    # -- editing and actions ------------------------------------------------------------------

    @property
    def editing(self) -> bool:
        """Whether the person edits it."""
        return self._editor is not None

    def begin_edit(self) -> None:
        """Put an editor in place of the text."""
        if self._editor is not None:
            return
        self._editor = MessageEditor(self._message.text, self._look, self)
        self._editor.submitted.connect(self._on_edit_submitted)
        self._editor.cancelled.connect(self._end_edit)
        self._editor.show()
        self.body.hide()
        self._editor.focus()
        self.height_changed.emit(self._message.id)

    def tab_chain(self) -> list[QWidget]:
        """Return what the Tab key visits, in reading order."""
        thought: list[QWidget] = [self._thought.button] if self._thought else []
        return [*thought, self.body, *self.meta.buttons()]

    def _end_edit(self) -> None:
        if self._editor is None:
            return
        self._editor.deleteLater()
        self._editor = None
        self.body.show()
        self.body.setFocus()
        self.update()
        self.height_changed.emit(self._message.id)

    def _on_edit_submitted(self, text: str) -> None:
        self._end_edit()
        if text != self._message.text:
            self.edited.emit(self._message.id, text)

    def _on_triggered(self, action: str) -> None:
        if action == "menu":
            button = self.meta.button("menu")
            if button:
                self._open_menu(button.mapToGlobal(button.rect().bottomLeft()))
        elif action == "edit":
            self.begin_edit()
        elif action != "version":
            self.triggered.emit(self._message.id, action)

    def make_menu(self, link: str = "") -> QMenu:
        """Build the menu of the message; ``link`` is the address under the pointer, or ""."""
        menu = message_menu(self._message, self.body.selected_raw(), link, self)
        menu.triggered.connect(lambda chosen: self._on_menu_chosen(str(chosen.data()), link))
        return menu

    def _open_menu(self, position: QPoint, link: str = "") -> None:
        menu = self.make_menu(link)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(position)

    def _on_menu_chosen(self, action: str, link: str) -> None:
        if action == "copy_selection":
            QApplication.clipboard().setText(self.body.selected_raw())
        elif action == "copy_link":
            QApplication.clipboard().setText(link)
        elif action == "select_all":
            self.body.selectAll()
        else:
            self._on_triggered(action)

    def _on_thought_toggled(self) -> None:
        if self._thought and self._thought.body:
            self._thought.body.work(time.perf_counter() + 0.03)
        self.height_changed.emit(self._message.id)

    # -- Qt -----------------------------------------------------------------------------------

    def _name(self) -> None:
        names = {
            "user": self.tr("Your message"),
            "assistant": self.tr("Reply"),
            "system": self.tr("System prompt"),
        }
        self.setAccessibleName(names[self._message.role])
        self.body.setAccessibleName(names[self._message.role])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bubble."""
        if self._message.role != "user" or self._editor:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.colours.bubble)
        radius = self._look.px(14)
        painter.drawRoundedRect(self.bubble, radius, radius)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the message."""
        link = self.body.anchorAt(self.body.mapFrom(self, event.pos()))
        self._open_menu(event.globalPos(), link)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the buttons."""
        self.meta.set_near(True)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the buttons of a person's own message."""
        self.meta.set_near(False)
