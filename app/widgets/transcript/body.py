"""The text of one message: read only, selectable as a whole, as high as its contents."""

import math
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QWidget

from app.markdown.clean import clean
from app.markdown.segments import PlainSegmenter, Segmenter
from app.widgets.transcript.code_buttons import CodeButtons
from app.widgets.transcript.code_colours import CodeColours
from app.widgets.transcript.decorations import (
    caret_rect,
    paint_block,
    paint_code_boxes,
    paint_code_label,
)
from app.widgets.transcript.geometry import (
    blocks_between,
    code_lines,
    kind,
    range_rects,
)
from app.widgets.transcript.look import CODE_PADDING_Y, INDENT, LINE_HEIGHT, TAB_CHARS, Look
from app.widgets.transcript.shades import Shade, ShadeLayer
from app.widgets.transcript.source_map import SourceMap
from app.widgets.transcript.text_surface import TextSurface
from app.widgets.transcript.writer import DocumentWriter

NARROW = 2.5  # a text is narrow when it is less than so many labels of code boxes wide
SHORT, REST = 1_500, 1.25  # short code is coloured at once, longer when it grew by a quarter
PIECE = 4_000  # characters read at once between looks at the clock


class MessageBody(TextSurface):
    """Shows raw text that may still grow.

    Text is taken in by :meth:`feed` and drawn by :meth:`work`, in slices, so that neither a long
    message nor a fast stream holds the window up. Nothing remote is ever loaded.
    """

    code_copied = Signal(str)

    def __init__(self, look: Look, *, is_plain: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._is_plain = look, is_plain
        self._raw, self._base = "", 0
        self._finished = self._caret = self._is_narrow = False
        self._tip: Callable[[int], str] | None = None
        self._shades, self._found = ShadeLayer(), ShadeLayer()
        self._buttons = CodeButtons(self)
        self._buttons.copied.connect(self.code_copied)
        self._restart()

    # -- text ---------------------------------------------------------------------------------

    @property
    def raw(self) -> str:
        """The raw text taken in so far."""
        return self._raw

    @property
    def base(self) -> int:
        """Where in its message the text begins."""
        return self._base

    def set_raw(self, raw: str, base: int = 0) -> None:
        """Start anew with ``raw``, which begins at offset ``base`` of its message."""
        self._raw, self._base = raw, base
        self._finished = False
        self._restart()

    def feed(self, text: str) -> None:
        """Add text at the end; a text that was complete is begun anew, for its end may change."""
        if text and self._finished:
            self.set_raw(self._raw + text, self._base)
        else:
            self._raw += text

    def finish(self) -> None:
        """No more text will come."""
        self._finished = True

    def set_look(self, look: Look) -> None:
        """Draw everything again in other colours or another size."""
        self._look = look
        self._restart()

    def _restart(self) -> None:
        document = self.document()
        document.clear()
        document.setDefaultFont(self._look.body_font)
        document.setIndentWidth(self._look.px(INDENT))
        option = document.defaultTextOption()
        option.setTabStopDistance(TAB_CHARS * self._look.code_tab)
        document.setDefaultTextOption(option)
        self._segmenter = (PlainSegmenter if self._is_plain else Segmenter)(self._base)
        self._writer = DocumentWriter(document, self._look, self._is_narrow)
        self._colours = CodeColours(document, self._look)
        self._coloured: list[tuple[int, int]] = []
        self._taken = 0
        self._ended = False

    @property
    def busy(self) -> bool:
        """Whether there is text that is not drawn yet."""
        return self._taken < len(self._raw) or self._ended != self._finished or self._colours.busy

    def work(self, deadline: float) -> bool:
        """Draw what has come, until ``time.perf_counter()`` reaches ``deadline``.

        Returns:
            Whether the height may have changed.
        """
        changed = False
        cursor = self.textCursor()
        selection = cursor.anchor(), cursor.position()
        while self._taken < len(self._raw) or self._ended != self._finished:
            self._take_piece()
            changed = True
            if time.perf_counter() > deadline:
                break
        if changed:
            self._restore(*selection)
            self._start_colours()
        if self._colours.busy:
            self._colours.work(max(deadline, time.perf_counter() + 0.002))
        if changed:
            self._place_buttons()
            self.viewport().update()
        return changed

    def _restore(self, anchor: int, position: int) -> None:
        """Put the selection back where it was: Qt lets it run along with what is inserted."""
        cursor = self.textCursor()
        if (cursor.anchor(), cursor.position()) != (anchor, position):
            end = self.document().characterCount() - 1
            cursor.setPosition(min(anchor, end))
            cursor.setPosition(min(position, end), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def _take_piece(self) -> None:
        end = min(len(self._raw), self._taken + PIECE)
        if self._raw[end - 1 : end] == "\r" and not self._finished and end - 1 > self._taken:
            end -= 1  # perhaps half of a line end
        segments = self._segmenter.feed(clean(self._raw[self._taken : end]))
        self._taken = end
        if self._taken == len(self._raw) and self._finished:
            segments += self._segmenter.finish()
            self._ended = True
        settled = [block for segment in segments for block in segment.blocks()]
        last = self._segmenter.open_segment() if end == len(self._raw) else None
        self._writer.write(settled, last.blocks() if last else [])

    def _start_colours(self) -> None:
        """Colour new code boxes; a growing one again, and the longer it is, the more rarely."""
        starts = self._writer.code_starts
        total = self.document().characterCount()
        known = [pair for pair in self._coloured if pair[0] in set(starts[-8:])]
        for start in starts[-8:]:
            before = next((size for at, size in known if at == start), 0)
            following = next((s for s in starts[-8:] if s > start), total)
            size = following - start
            if before == 0 or (
                size > before and (size > before * REST or self._ended or size < SHORT)
            ):
                self._colours.start(start)
                known = [pair for pair in known if pair[0] != start] + [(start, size)]
        self._coloured = known

    @property
    def source_map(self) -> SourceMap:
        """Which raw characters the characters of the document stand for."""
        return self._writer.source_map

    # -- size ---------------------------------------------------------------------------------

    def set_width(self, width: int) -> None:
        """Lay the text out ``width`` pixels wide."""
        if self.lineWrapColumnOrWidth() == width:
            return
        self.setLineWrapColumnOrWidth(width)
        if self._is_narrow != (width < NARROW * self._look.label_width):
            self._is_narrow = not self._is_narrow
            self._writer.set_narrow(self._is_narrow)
        self._place_buttons()

    def _place_buttons(self) -> None:
        self._buttons.place(self._writer.code_starts, self._look, self.code_at)

    def ideal_width(self) -> int:
        """Return the width of the longest line."""
        return math.ceil(self.document().idealWidth())

    def content_height(self) -> int:
        """Return the height of everything drawn so far."""
        height = self.document().size().height()
        if kind(self.document().lastBlock()) == "code":
            height += self._look.px(CODE_PADDING_Y)
            if self._caret:
                height += self._look.px(8 + LINE_HEIGHT)
        return math.ceil(height)

    # -- marks --------------------------------------------------------------------------------

    def set_caret(self, shown: bool) -> None:
        """Show or hide the block at the end of a streaming reply."""
        self._caret = shown
        self.viewport().update()

    def set_shades(self, shades: Sequence[Shade]) -> None:
        """Shade raw ranges of the message."""
        self._shades.set_shades(shades)
        self.viewport().update()

    def set_found(self, found: Sequence[Shade]) -> None:
        """Mark raw ranges as found."""
        self._found.set_shades(found)
        self.viewport().update()

    def set_tip(self, tip: Callable[[int], str] | None) -> None:
        """``tip(raw offset)`` is shown when the pointer rests on a word."""
        self._tip = tip

    def range_top(self, start: int, end: int) -> float | None:
        """Return how far down a raw range is shown, or None when it is not."""
        place = next(self.source_map.doc_ranges(start, end), None)
        if place is None:
            return None
        rects = range_rects(self.document().findBlock(place[0]), *place)
        first = next(rects, None)
        return first.top() if first else None

    def selected_raw(self) -> str:
        """Return the raw text of the selection."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        if start == end:
            return ""
        if self.source_map.covers_all(start, end):
            return self._raw
        found = self.source_map.raw_range(start, end)
        return self._raw_slice(found) if found else ""

    def code_at(self, start: int) -> str:
        """Return the raw code of the box whose first line is at document position ``start``."""
        lines = []
        for line in code_lines(self.document(), start):
            end = line.position() + line.length() - 1
            found = self.source_map.raw_range(line.position(), end)
            has_text = found is not None and line.length() > 1
            lines.append(self._raw_slice(found) if found and has_text else "")
        return "\n".join(lines)

    def _raw_slice(self, place: tuple[int, int]) -> str:
        return self._raw[place[0] - self._base : place[1] - self._base]

    # -- Qt -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what lies under the text, the text, and the caret."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = event.rect()
        blocks = list(blocks_between(self.document(), clip.top(), clip.bottom()))
        width = self.lineWrapColumnOrWidth()
        look = self._look
        if blocks:
            end = blocks[-1].position() + blocks[-1].length()
            for layer in (self._shades, self._found):
                layer.place(self.source_map, blocks[0].position(), end)
        paint_code_boxes(painter, blocks, look, width)
        for block in blocks:
            paint_block(painter, block, look, width)
            if not self._is_narrow:
                paint_code_label(painter, block, look, self._buttons.geometry(block.position()))
            self._shades.paint(painter, block, look.colours.remembered, look.px(3))
            self._found.paint(painter, block, look.found, look.px(3))
        if self._caret:
            painter.fillRect(caret_rect(self.document(), look), look.text)
        painter.end()
        super().paintEvent(event)

    def tip_at(self, position: QPoint) -> str:
        """Return what is told about the place ``position`` in the viewport."""
        if href := self.anchorAt(position):
            return href
        layout = self.document().documentLayout()
        doc = layout.hitTest(QPointF(position), Qt.HitTestAccuracy.ExactHit)
        raw = self.source_map.raw_offset(doc) if doc >= 0 else None
        return self._tip(raw) if self._tip and raw is not None else ""
