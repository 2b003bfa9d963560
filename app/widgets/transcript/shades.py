"""Rounded marks behind words: what is remembered, and what was found."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextBlock

from app.widgets.transcript.geometry import range_rects
from app.widgets.transcript.source_map import SourceMap


@dataclass(frozen=True, slots=True)
class Shade:
    """A raw range (end exclusive) and its strength, 0..1."""

    start: int
    end: int
    strength: float


def joined(ranges: Sequence[tuple[int, int, float]], text: str) -> list[Shade]:
    """Turn token ranges into word shades.

    White space at either end stays unshaded, as the gap between words; neighbours of equal strength
    become one shade.
    """
    result: list[Shade] = []
    for start, end, strength in ranges:
        start, end = max(0, start), min(end, len(text))
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if start >= end:
            continue
        last = result[-1] if result else None
        if last and abs(last.strength - strength) < 0.005 and not text[last.end : start].strip(" "):
            result[-1] = Shade(last.start, end, last.strength)
        else:
            result.append(Shade(start, end, strength))
    return result


class ShadeLayer:
    """Shades of one document. Only those near what is painted are placed in it."""

    def __init__(self) -> None:
        self._shades: Sequence[Shade] = ()
        self._raw_starts: list[int] = []
        self._starts: list[int] = []
        self._marks: list[tuple[int, int, float]] = []

    def set_shades(self, shades: Sequence[Shade]) -> None:
        """Take other shades, ascending."""
        self._shades = shades
        self._raw_starts = [shade.start for shade in shades]

    def place(self, source_map: SourceMap, start: int, end: int) -> None:
        """Find the shades between two document positions."""
        self._marks = []
        found = source_map.raw_range(start, end) if self._shades else None
        if found is not None:
            index = max(0, bisect_right(self._raw_starts, found[0]) - 1)
            while index < len(self._shades) and self._shades[index].start < found[1]:
                self._mark(self._shades[index], source_map)
                index += 1
        self._marks.sort()  # the columns of a table may be mirrored
        self._starts = [mark[0] for mark in self._marks]

    def _mark(self, shade: Shade, source_map: SourceMap) -> None:
        if shade.strength <= 0:
            return
        for start, end in source_map.doc_ranges(shade.start, shade.end):
            last = self._marks[-1] if self._marks else None
            if last and last[1] == start and last[2] == shade.strength:
                self._marks[-1] = (last[0], end, shade.strength)
            else:
                self._marks.append((start, end, shade.strength))

    def paint(self, painter: QPainter, block: QTextBlock, colour: QColor, radius: float) -> None:
        """Draw the marks in ``block``; ``colour`` is the one of full strength."""
        if not self._marks:
            return
        begin, end = block.position(), block.position() + block.length()
        index = max(0, bisect_left(self._starts, begin) - 1)
        painter.setPen(Qt.PenStyle.NoPen)
        while index < len(self._marks) and self._marks[index][0] < end:
            start, stop, strength = self._marks[index]
            index += 1
            if stop <= begin:
                continue
            shade = QColor(colour)
            shade.setAlphaF(min(1.0, strength))
            painter.setBrush(shade)
            for rect in range_rects(block, max(start, begin), min(stop, end)):
                painter.drawRoundedRect(_padded(rect), radius, radius)


def _padded(rect: QRectF) -> QRectF:
    return rect.adjusted(-0.5, -0.5, 0.5, 0.5)
