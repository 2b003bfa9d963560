"""A scroll area that draws only the messages near its window."""

import time
from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.widgets import theme
from app.widgets.transcript.column import Column, Item, estimated_height
from app.widgets.transcript.end_button import EndButton
from app.widgets.transcript.key_scroll import KeyScrollArea
from app.widgets.transcript.look import LINE_HEIGHT, Look
from app.widgets.transcript.message_widget import MessageWidget

PADDING_TOP, PADDING_BOTTOM = 22, 24
DRAW_S = 0.02  # what drawing a message that scrolls into view may take at once
NEAR_S = 0.015  # what drawing those that are not yet in view may add to it


class Scroller(KeyScrollArea):
    """Places messages, makes and drops the widgets that draw them, and keeps the reader's place.

    It follows the end only while it is there; otherwise nothing on screen moves by itself.
    """

    visible_messages_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = Column(padding_top=PADDING_TOP, padding_bottom=PADDING_BOTTOM)
        self._scale = 1.0
        self._look = Look(self.palette())
        self._follow = True
        self._placing = self._unfinished = False
        self._width = 0
        self._shown_ids: list[str] = []
        self._end_button = EndButton(self.viewport())
        self._end_button.clicked.connect(self.scroll_to_end)
        self.setFrameStyle(0)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self.viewport().setAutoFillBackground(True)

    # -- place --------------------------------------------------------------------------------

    def scroll_to_end(self) -> None:
        """Go to the end, and follow what is added there."""
        self._follow = True
        self._relayout()

    @property
    def follows(self) -> bool:
        """Whether the end is in view and what is added there scrolls into view."""
        return self._follow

    def set_text_scale(self, scale: float) -> None:
        """Draw the text ``scale`` times as large as the application's font."""
        if scale != self._scale:
            self._scale = scale
            self._restyle()

    def _visible(self) -> Iterator[Item]:
        top = self.verticalScrollBar().value()
        self._column.place()
        for item, _ in self._column.between(top, top + self.viewport().height()):
            yield item

    def _drawn(self) -> list[Item]:
        return [item for item in self._column.items if item.widget]

    def _reveal(self, item: Item, start: int, end: int) -> None:
        """Scroll so that a raw range of ``item`` is in view; an empty one is its beginning."""
        self._follow = False
        self._column.anchor, self._column.anchor_offset = item, 0
        self._relayout()
        if item.widget is None or start == end:
            return
        while item.widget.busy:
            item.widget.work(time.perf_counter() + 1)
        self._measure(item)
        top = item.widget.range_top(start, end)
        if top is not None:
            self._column.anchor = item
            self._column.anchor_offset = round(top) - self.viewport().height() // 3
        self._relayout()

    # -- items --------------------------------------------------------------------------------

    def _connect(self, item: Item) -> None:
        """Set a new widget up; the view does."""
        raise NotImplementedError

    def _schedule(self) -> None:
        """Go on drawing soon; the view does."""
        raise NotImplementedError

    def _clear(self) -> None:
        for item in self._drawn():
            self._drop(item)
        self._column.items = []

    def _set_items(self, items: list[Item], deadline: float) -> None:
        self._column.items = items
        self._follow = True
        self._relayout(deadline)

    def _remove_item(self, item: Item) -> None:
        self._drop(item)
        if self._column.anchor is item:
            index = self._column.items.index(item)
            rest = self._column.items[index + 1 :] or self._column.items[:index][-1:]
            self._column.anchor = rest[0] if rest else None
            self._column.anchor_offset = 0
        self._column.items.remove(item)
        self._relayout()

    def _make(self, item: Item, deadline: float) -> None:
        item.widget = MessageWidget(item.message, self._look, self.viewport())
        item.widget.expect_width(self._width)
        self._connect(item)
        item.widget.work(min(deadline, time.perf_counter() + DRAW_S))
        item.widget.show()
        item.measured = False

    def _drop(self, item: Item) -> None:
        if item.widget:
            item.widget.hide()
            item.widget.deleteLater()
            item.widget = None

    def _measure(self, item: Item) -> bool:
        """Measure what is drawn of ``item``; return whether its height changed."""
        if item.widget is None:
            return False
        height = item.widget.arrange(self._width)
        if item.widget.busy and not item.streaming:
            height = max(height, self._estimate(item))
        item.measured = True
        changed = height != item.height
        item.height = height
        return changed

    def _estimate(self, item: Item) -> int:
        return estimated_height(item.message, self._width, self._look.px(LINE_HEIGHT))

    # -- layout -------------------------------------------------------------------------------

    def _relayout(self, deadline: float = float("inf")) -> None:
        """Draw what is near the window, and put it where it belongs."""
        if self._placing:
            return
        self._placing = True
        try:
            self._take_width()
            for _ in range(8):
                top, total = self._window()
                if not self._materialise(top, deadline):
                    break
            self._move(top, total)
        finally:
            self._placing = False
        shown = [item.message.id for item in self._visible()]
        if shown != self._shown_ids:
            self._shown_ids = shown
            self.visible_messages_changed.emit()

    def _take_width(self) -> None:
        room = self.width()  # with the scroll bar, so that its coming and going moves nothing
        margin = theme.column_margin(room)
        width = max(80, min(self._look.px(theme.COLUMN_WIDTH), room - 2 * margin))
        if width != self._width:
            self._width = width
            for item in self._column.items:
                item.measured = False
        for item in self._column.items:
            if not item.measured:
                if item.widget:
                    self._measure(item)
                else:
                    item.height = self._estimate(item)
                    item.measured = True

    def _window(self) -> tuple[int, int]:
        """Return where the window begins, and the height of the column."""
        total = self._column.place()
        end = max(0, total - self.viewport().height())
        if self._follow:
            return end, total
        return max(0, min(end, self._column.anchored_position())), total

    def _materialise(self, top: int, deadline: float) -> bool:
        """Draw the items near the window; return whether a height changed."""
        height = self.viewport().height()
        began = time.perf_counter()
        visible = [item for item, _ in self._column.between(top, top + height)]
        near = self._column.between(top - height // 2, top + height + height // 2)
        changed = self._unfinished = False
        for item in [*visible, *(item for item, _ in near if item not in visible)]:
            if item.widget is not None:
                continue
            if item not in visible and time.perf_counter() - began > NEAR_S:
                self._unfinished = True
                self._schedule()
                break
            self._make(item, deadline)
            changed |= self._measure(item)
        return changed

    def _move(self, top: int, total: int) -> None:
        height = self.viewport().height()
        left = (self.width() - self._width) // 2 - self.viewport().x()
        self._column.place()
        kept = dict(self._column.between(top - 2 * height, top + 3 * height))
        focus = QApplication.focusWidget()
        for item in self._drawn():
            widget = item.widget
            if widget is None:
                continue
            if item in kept:
                widget.setGeometry(left, kept[item] - top, self._width, item.height)
            elif item.streaming or widget.must_stay or (focus and widget.isAncestorOf(focus)):
                widget.setGeometry(left, self._column.top(item) - top, self._width, item.height)
            else:
                self._drop(item)
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, total - height))
        bar.setPageStep(height)
        bar.setSingleStep(self._look.px(LINE_HEIGHT))
        bar.setValue(top)
        self._column.keep_anchor(top, height)
        self._end_button.place(not self._follow and total - height - top > height // 2)
        self._chain_tabs()

    def _chain_tabs(self) -> None:
        """Let Tab visit the messages from top to bottom, whenever they were drawn."""
        chain = [w for item in self._drawn() if item.widget for w in item.widget.tab_chain()]
        if chain == getattr(self, "_chain", None):
            return
        self._chain = chain
        order = [self, *chain, self._end_button]
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _restyle(self) -> None:
        self._look = Look(self.palette(), self._scale)
        for item in self._column.items:
            item.measured = False
            if item.widget:
                item.widget.set_look(self._look)
                item.widget.work(time.perf_counter() + DRAW_S / 4)
        self._relayout()
        self._schedule()

    # -- Qt -----------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay everything out anew."""
        super().resizeEvent(event)
        self._relayout()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Follow the scroll bar."""
        if self._placing:
            return
        bar = self.verticalScrollBar()
        self._follow = bar.value() >= bar.maximum()
        self._column.place()
        self._column.keep_anchor(bar.value(), self.viewport().height())
        self._relayout()

    def changeEvent(self, event: QEvent) -> None:
        """Take over new colours and fonts."""
        super().changeEvent(event)
        kinds = (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange)
        if event.type() in kinds:
            self._restyle()
