"""One message: its text in a bubble or across the column, and what stands under it."""

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.models.message_view import MessageView
from app.widgets.transcript.editor import MessageEditor
from app.widgets.transcript.look import (
    BUBBLE_PADDING_X,
    BUBBLE_PADDING_Y,
    BUBBLE_SHARE,
    MESSAGE_GAP,
    Look,
)
from app.widgets.transcript.message_content import MessageContent
from app.widgets.transcript.message_menu import message_menu

_SHORT = 2_000  # a longer message fills its bubble: no need to measure


class MessageWidget(MessageContent):
    """Shows one :class:`MessageView`, lets it be edited and tells what is asked of it."""

    triggered = Signal(str, str)  # message id, action
    edited = Signal(str, str)  # message id, new text

    def __init__(self, message: MessageView, look: Look, parent: QWidget) -> None:
        super().__init__(message, look, parent)
        self.bubble = QRect()
        self._editor: MessageEditor | None = None
        self._sends_with_command = False
        self.meta.triggered.connect(self._on_triggered)

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
        if self._message.busy or self._editor:
            self.meta.hide()
            return y + gap
        is_user = self._message.role == "user"
        top = y + self._look.px(1 if is_user else 6)
        self.meta.resize(width, 1)
        height = self.meta.arrange(width, trailing=is_user)
        self.meta.setGeometry(0, top, width, height)
        self.meta.show()
        if not is_user:
            return top + height + gap
        # Buttons that come with the pointer may use the gap; figures that stay need their own.
        return max(y + gap, top + height + (self._look.px(8) if self.meta.figures() else 0))

    # -- editing and actions ------------------------------------------------------------------

    @property
    def editing(self) -> bool:
        """Whether the person edits it."""
        return self._editor is not None

    @property
    def must_stay(self) -> bool:
        """Whether dropping it would lose what a person did in it."""
        return self.editing or self.has_selection

    @property
    def unfinished_edit(self) -> str:
        """What the person has changed the text to and not sent, or ""."""
        text = self._editor.text() if self._editor else ""
        return "" if text == self._message.text else text

    def begin_edit(self, text: str = "") -> None:
        """Put an editor in place of the text, with ``text`` when an earlier edit goes on."""
        if self._editor is not None:
            return
        self._editor = MessageEditor(
            text or self._message.text, self._look, self._sends_with_command, self
        )
        self._editor.submitted.connect(self._on_edit_submitted)
        self._editor.cancelled.connect(self._end_edit)
        self._editor.height_changed.connect(lambda: self.height_changed.emit(self._message.id))
        self._editor.show()
        self.body.hide()
        if not text:
            self._editor.focus()
        self.height_changed.emit(self._message.id)

    def set_sends_with_command(self, with_command: bool) -> None:
        """Let an edit be sent with ⌘Return only, not with Return; one that is open too."""
        self._sends_with_command = with_command
        if self._editor is not None:
            self._editor.set_sends_with_command(with_command)

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

    # -- Qt -----------------------------------------------------------------------------------

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
