"""Drawing messages as their text comes in, without holding the window up."""

import time
from collections.abc import Callable

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.markdown.thinking import split_thought
from app.widgets.transcript.column import Item
from app.widgets.transcript.link_status import LinkStatus
from app.widgets.transcript.message_widget import MessageWidget
from app.widgets.transcript.scroller import Scroller
from app.widgets.transcript.search import Search
from app.widgets.transcript.shades import Shade

FRAME_S = 0.033  # a stream is drawn at most this often
SLICE_S = 0.012  # and drawing holds the event loop up for about so long
OTHER_FOUND = 0.45  # how strongly places are marked that are found but not looked at


class Canvas(Scroller):
    """Fills the widgets of messages frame by frame, and connects them."""

    message_triggered = Signal(str, str)  # message id, action
    edit_requested = Signal(str, str)  # message id, new text
    link_activated = Signal(str)  # http, https or mailto address, clicked by the person
    link_hovered = Signal(str)  # address under the pointer, "" when it leaves
    code_copied = Signal(str)  # the code, already on the clipboard
    thought_timed = Signal(str, float)  # message id, seconds its thinking took

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._by_id: dict[str, Item] = {}
        self._search = Search()
        self._tip: Callable[[str, int], str] | None = None
        self._sends_with_command = False
        self._unfinished_edits: dict[str, str] = {}  # by message id
        self._last_frame_s = 0.0
        self._link_status = LinkStatus(self.viewport())
        self.link_hovered.connect(self._on_link_hovered)
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.timeout.connect(self._on_frame)

    def set_sends_with_command(self, with_command: bool) -> None:
        """Let an edited message be sent with ⌘Return only, not with Return."""
        self._sends_with_command = with_command
        for item in self._drawn():
            if item.widget:
                item.widget.set_sends_with_command(with_command)

    def _refresh(self, item: Item) -> None:
        """Draw what has changed in ``item``."""
        if item.widget:
            self._fill(item)
            item.widget.work(time.perf_counter() + SLICE_S)
            self._measure(item)
        else:
            item.measured = False
        self._relayout()
        self._schedule()

    def _fill(self, item: Item) -> None:
        if item.widget is None:
            return
        self._time_thought(item)
        seconds = None
        if item.thought_began is not None:
            seconds = item.thought_s or time.monotonic() - item.thought_began
        item.widget.show_status(item.status)
        item.widget.show_message(item.message, seconds)

    def _time_thought(self, item: Item, *, is_over: bool = False) -> None:
        if item.message.role != "assistant" or item.thought_s is not None:
            return
        if not (item.streaming or is_over):
            return
        parts = split_thought(item.message.text, is_open=item.streaming)
        if not parts.has_thought:
            return
        now = time.monotonic()
        if item.thought_began is None:
            item.thought_began = now
        if parts.closed or is_over:
            item.thought_s = now - item.thought_began
            self.thought_timed.emit(item.message.id, item.thought_s)

    def _schedule(self) -> None:
        if self._frame.isActive():
            return
        grows = any(item.streaming for item in self._drawn())
        pause = max(FRAME_S, 2 * self._last_frame_s) if grows else 0.002
        self._frame.start(round(1000 * pause))

    def _on_frame(self) -> None:
        began = time.perf_counter()
        changed = False
        for item in self._drawn():
            widget = item.widget
            if widget is None:
                continue
            if item.streaming and widget.message is not item.message:
                self._fill(item)
            if widget.busy:
                changed |= widget.work(began + SLICE_S)
                changed |= self._measure(item)
        if changed or self._unfinished or any(not i.measured for i in self._column.items):
            self._relayout()
        self._last_frame_s = time.perf_counter() - began
        if any(item.widget and item.widget.busy for item in self._drawn()):
            self._schedule()

    def _connect_tip(self, item: Item) -> None:
        if item.widget is None:
            return
        tip, message_id = self._tip, item.message.id
        item.widget.set_tip((lambda offset: tip(message_id, offset)) if tip else None)

    def _mark_found(self, item: Item) -> None:
        if item.widget is None:
            return
        current = self._search.place
        item.widget.set_found(
            [
                Shade(place.start, place.end, 1.0 if place is current else OTHER_FOUND)
                for place in self._search.places
                if place.message_id == item.message.id
            ]
        )

    def _connect(self, item: Item) -> None:
        widget = item.widget
        if widget is None:
            return
        widget.set_sends_with_command(self._sends_with_command)
        widget.triggered.connect(self.message_triggered)
        widget.edited.connect(self.edit_requested)
        widget.height_changed.connect(self._on_height_changed)
        widget.link_activated.connect(self.link_activated)
        widget.link_hovered.connect(self.link_hovered)
        widget.code_copied.connect(self.code_copied)
        widget.selection_made.connect(self._on_selection_made)
        widget.selection_dragged.connect(self._on_selection_dragged)
        self._fill(item)
        widget.show_divider(item.divider)
        widget.set_shades(item.shades)
        self._connect_tip(item)
        self._mark_found(item)
        if text := self._unfinished_edits.pop(item.message.id, ""):
            widget.begin_edit(text)
        self._schedule()

    def _drop(self, item: Item) -> None:
        # Another chat is shown; the edit goes on when this one comes back.
        if item.widget and (text := item.widget.unfinished_edit):
            self._unfinished_edits[item.message.id] = text
        super()._drop(item)

    def _on_height_changed(self, message_id: str) -> None:
        item = self._by_id.get(message_id)
        if item and item.widget:
            self._connect_tip(item)
            item.widget.set_shades(item.shades)
            self._measure(item)
            self._relayout()
            self._schedule()

    def _on_link_hovered(self, address: str) -> None:
        self._link_status.show_address(address, self._look)

    def _on_selection_made(self, message_id: str) -> None:
        """Let only one message have a selection."""
        for item in self._drawn():
            if item.widget and item.message.id != message_id:
                item.widget.clear_selection()

    def _on_selection_dragged(self, pointer: QPoint) -> None:
        y = self.viewport().mapFromGlobal(pointer).y()
        bar = self.verticalScrollBar()
        if y < 0:
            bar.setValue(bar.value() + max(y, -60))
        elif y > self.viewport().height():
            bar.setValue(bar.value() + min(y - self.viewport().height(), 60))

    def drawn_message_ids(self) -> list[str]:
        """Return the messages that have a widget: those near the window."""
        return [item.message.id for item in self._drawn()]

    def shown_address(self) -> str:
        """Return the target of the link under the pointer, as shown in the corner, or ""."""
        return self._link_status.text

    def message_widget(self, message_id: str) -> MessageWidget | None:
        """Return what draws a message, or None while it is far from the window."""
        item = self._by_id.get(message_id)
        return item.widget if item else None

    @property
    def busy(self) -> bool:
        """Whether some text near the window is not drawn yet."""
        return any(
            item.widget is not None
            and (item.widget.busy or item.widget.message is not item.message)
            for item in self._drawn()
        )
