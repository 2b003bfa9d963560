"""The scrolling list of messages."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from app.models.message_view import MessageView
from app.widgets.transcript.canvas import Canvas
from app.widgets.transcript.column import Item
from app.widgets.transcript.search import Search
from app.widgets.transcript.shades import joined

OPENING_S = 0.15  # what opening a chat may take before the rest is drawn bit by bit


class TranscriptView(Canvas):
    """The messages of one chat, read only.

    Messages are known by their ids; an unknown id is ignored, so that late events of a closed chat
    do no harm.
    """

    copy_requested = Signal(str)  # message id; the raw text is on the clipboard already
    regenerate_requested = Signal(str)
    continue_requested = Signal(str)
    delete_requested = Signal(str)
    version_requested = Signal(str, int)  # message id, -1 or +1
    pin_toggled = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_triggered.connect(self._on_triggered)
        self.setAccessibleName(self.tr("Conversation"))

    # -- messages -----------------------------------------------------------------------------

    def set_messages(self, messages: Sequence[MessageView]) -> None:
        """Show another chat: its end is scrolled into view."""
        self._clear()
        self._by_id = {message.id: Item(message) for message in messages}
        self._search.run(self._search.text, messages)
        self._set_items(list(self._by_id.values()), time.perf_counter() + OPENING_S)
        self._schedule()

    def append_message(self, message: MessageView) -> None:
        """Add a message at the end; a person's own is scrolled into view."""
        if message.id in self._by_id:
            self.update_message(message)
            return
        item = Item(message)
        self._by_id[message.id] = item
        self._column.items.append(item)
        if message.role == "user":
            self._follow = True
        self._relayout()
        self._schedule()

    def set_heading(self, message: MessageView | None) -> None:
        """Show the system prompt above all messages; None takes it away."""
        items = self._column.items
        old = items[0] if items and items[0].message.role == "system" else None
        if message is None:
            if old:
                self.remove_message(old.message.id)
        elif old is None:
            item = self._by_id[message.id] = Item(message)
            items.insert(0, item)
            self._relayout()
            self._schedule()
        elif old.message.text != message.text:
            self.update_message(message)

    def update_message(self, message: MessageView) -> None:
        """Show the new state of the message with the same id."""
        item = self._by_id.get(message.id)
        if item is None:
            return
        if item.widget and item.message.role != message.role:
            self._drop(item)
        item.message = message
        self._refresh(item)

    def remove_message(self, message_id: str) -> None:
        """Take a message away."""
        if item := self._by_id.pop(message_id, None):
            self._remove_item(item)

    def message_ids(self) -> list[str]:
        """Return all messages, top to bottom."""
        return [item.message.id for item in self._column.items]

    def message(self, message_id: str) -> MessageView | None:
        """Return the message as shown now, streamed text included."""
        item = self._by_id.get(message_id)
        return item.message if item else None

    # -- streaming ----------------------------------------------------------------------------

    def begin_stream(self, message_id: str) -> None:
        """The reply ``message_id`` (already in the list) starts, or goes on where it ended."""
        if item := self._by_id.get(message_id):
            item.streaming = True
            if not item.message.text:
                item.thought_began = item.thought_s = None
            item.message = replace(item.message, state="waiting", error="")
            self._refresh(item)

    def append_text(self, message_id: str, text: str) -> None:
        """Add generated text to a streaming reply; it is drawn with the next frame."""
        item = self._by_id.get(message_id)
        if item is None or not text:
            return
        message = item.message
        item.message = replace(message, text=message.text + text, state="streaming")
        item.status = ""
        item.measured = item.measured and item.widget is not None
        self._schedule()

    def end_stream(self, message_id: str, message: MessageView) -> None:
        """The reply is complete; ``message`` is its final state."""
        item = self._by_id.get(message_id)
        if item is None:
            return
        item.streaming, item.status = False, ""
        item.message = replace(item.message, text=message.text)
        self._time_thought(item, is_over=True)
        if message.thought_s is None and item.thought_s is not None:
            message = replace(message, thought_s=item.thought_s)
        item.message = message
        self._refresh(item)

    def set_status(self, message_id: str, text: str) -> None:
        """Show one short grey line while a reply has no text yet ("Reading 210 of 1,800…")."""
        item = self._by_id.get(message_id)
        if item is None or item.status == text:
            return
        item.status = text
        self._refresh(item)

    # -- marks --------------------------------------------------------------------------------

    def set_divider(self, after_message_id: str, text: str | None) -> None:
        """Draw a line with ``text`` under a message; None takes it away."""
        item = self._by_id.get(after_message_id)
        if item is None or item.divider == (text or ""):
            return
        item.divider = text or ""
        if item.widget:
            item.widget.show_divider(item.divider)
        self._refresh(item)

    def set_shading(self, message_id: str, ranges: Sequence[tuple[int, int, float]] | None) -> None:
        """Shade words by how much of the cache holds them.

        Args:
            message_id: The message.
            ranges: (start, end, share), offsets into the raw text, share 0..1; None takes the
                shading away.
        """
        if item := self._by_id.get(message_id):
            item.shades = joined(ranges or (), item.message.text)
            if item.widget:
                item.widget.set_shades(item.shades)

    def set_shading_tip(self, tip: Callable[[str, int], str] | None) -> None:
        """``tip(message_id, raw offset)`` gives the text shown when the pointer rests on a word."""
        self._tip = tip
        for item in self._drawn():
            self._connect_tip(item)

    # -- find ---------------------------------------------------------------------------------

    def find_text(
        self, text: str, forward: bool = True, *, restart: bool = False
    ) -> tuple[int, int]:
        """Go to the next place where ``text`` occurs, ignoring case.

        Args:
            text: What to look for.
            forward: Whether to go on towards the end.
            restart: Whether to stay at the place looked at if ``text`` still fits there (while it
                is being typed).

        Returns:
            The number of that place, counted from 1, and how many there are; (0, 0) for none.
        """
        search = self._search
        search.run(text, [item.message for item in self._column.items])
        if search.current < 0 or not restart:
            order = {message_id: index for index, message_id in enumerate(self.message_ids())}
            visible = self.visible_message_ids()
            search.step(forward, order[visible[0]] if visible else 0, order)
        place = search.place
        if place is not None:
            self._reveal(self._by_id[place.message_id], place.start, place.end)
        for item in self._drawn():
            self._mark_found(item)
        return search.current + 1, len(search.places)

    def clear_find(self) -> None:
        """Take the marks of :meth:`find_text` away."""
        self._search = Search()
        for item in self._drawn():
            self._mark_found(item)

    # -- place and look -----------------------------------------------------------------------

    def scroll_to(self, message_id: str, start: int = 0, end: int = 0) -> None:
        """Bring the start of a message into view, or the raw range ``start``..``end`` of it."""
        if item := self._by_id.get(message_id):
            self._reveal(item, start, end)

    def visible_message_ids(self) -> list[str]:
        """Return the messages on screen: the only ones whose shading is worth computing."""
        return [item.message.id for item in self._visible()]

    def begin_edit(self, message_id: str) -> None:
        """Let the person edit a message where it stands."""
        if item := self._by_id.get(message_id):
            self._reveal(item, 0, 0)
            if item.widget:
                item.widget.begin_edit()

    def _on_triggered(self, message_id: str, action: str) -> None:
        item = self._by_id.get(message_id)
        if item is None:
            return
        match action:
            case "copy":
                QApplication.clipboard().setText(item.message.text)
                self.copy_requested.emit(message_id)
            case "regenerate":
                self.regenerate_requested.emit(message_id)
            case "continue":
                self.continue_requested.emit(message_id)
            case "delete":
                self.delete_requested.emit(message_id)
            case "pin":
                self.pin_toggled.emit(message_id, not item.message.pinned)
            case "previous" | "next":
                self.version_requested.emit(message_id, 1 if action == "next" else -1)
