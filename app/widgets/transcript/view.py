"""The scrolling list of messages."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTextEdit, QVBoxLayout, QWidget

from app.models.message_view import MessageView


class TranscriptView(QWidget):
    """The messages of one chat, read only.

    Messages are known by their ids; an unknown id is ignored, so that late events of a closed chat
    do no harm.
    """

    copy_requested = Signal(str)  # message id; the raw text goes to the clipboard
    regenerate_requested = Signal(str)
    continue_requested = Signal(str)
    edit_requested = Signal(str, str)  # message id, new text
    delete_requested = Signal(str)
    version_requested = Signal(str, int)  # message id, -1 or +1
    pin_toggled = Signal(str, bool)
    link_activated = Signal(str)  # http, https or mailto address, clicked by the person
    link_hovered = Signal(str)  # address under the pointer, "" when it leaves
    code_copied = Signal(str)  # the code, already on the clipboard
    thought_timed = Signal(str, float)  # message id, seconds its thinking took
    visible_messages_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages: dict[str, MessageView] = {}
        self._text = QTextEdit(self)
        self._text.setReadOnly(True)
        self._text.setAccessibleName(self.tr("Conversation"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._text)

    def set_messages(self, messages: Sequence[MessageView]) -> None:
        """Show another chat: its end is scrolled into view."""
        self._messages = {message.id: message for message in messages}
        self._show()

    def append_message(self, message: MessageView) -> None:
        """Add a message at the end."""
        self._messages[message.id] = message
        self._show()

    def update_message(self, message: MessageView) -> None:
        """Show the new state of the message with the same id."""
        if message.id in self._messages:
            self._messages[message.id] = message
            self._show()

    def remove_message(self, message_id: str) -> None:
        """Take a message away."""
        self._messages.pop(message_id, None)
        self._show()

    def begin_stream(self, message_id: str) -> None:
        """The reply ``message_id`` (already in the list) starts, or goes on where it ended."""

    def append_text(self, message_id: str, text: str) -> None:
        """Add generated text to a streaming reply."""
        if message := self._messages.get(message_id):
            self.update_message(replace(message, text=message.text + text))

    def end_stream(self, message_id: str, message: MessageView) -> None:
        """The reply is complete; ``message`` is its final state."""
        if message_id in self._messages:
            self.update_message(message)

    def set_status(self, message_id: str, text: str) -> None:
        """Show one short grey line while a reply has no text yet ("Reading 210 of 1,800…")."""

    def set_divider(self, after_message_id: str, text: str | None) -> None:
        """Draw a line with ``text`` under a message; None takes it away."""

    def set_shading(self, message_id: str, ranges: Sequence[tuple[int, int, float]] | None) -> None:
        """Shade words by how much of the cache holds them.

        Args:
            message_id: The message.
            ranges: (start, end, share), offsets into the raw text, share 0..1; None takes the
                shading away.
        """

    def set_shading_tip(self, tip: Callable[[str, int], str] | None) -> None:
        """``tip(message_id, raw offset)`` gives the text shown when the pointer rests on a word."""

    def find_text(
        self, text: str, forward: bool = True, *, restart: bool = False
    ) -> tuple[int, int]:
        """Go to the next place where ``text`` occurs, ignoring case.

        Returns:
            The number of that place, counted from 1, and how many there are; (0, 0) for none.
        """
        return (0, 0)

    def clear_find(self) -> None:
        """Take the marks of :meth:`find_text` away."""

    def scroll_to(self, message_id: str) -> None:
        """Bring the start of a message into view."""

    def scroll_to_end(self) -> None:
        """Go to the end, and follow what is added there."""

    def set_text_scale(self, scale: float) -> None:
        """Draw the text ``scale`` times as large as the application's font."""

    def visible_message_ids(self) -> list[str]:
        """The messages on screen, top to bottom: the only ones whose shading is worth computing."""
        return list(self._messages)

    def message_ids(self) -> list[str]:
        """All messages, top to bottom."""
        return list(self._messages)

    def message(self, message_id: str) -> MessageView | None:
        """The message as shown now, streamed text included."""
        return self._messages.get(message_id)

    def _show(self) -> None:
        self._text.setPlainText("\n\n".join(m.text for m in self._messages.values()))
