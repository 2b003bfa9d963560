"""Cutting a growing text into pieces that can be parsed, and drawn, once and for all."""

import re
from dataclasses import dataclass
from itertools import pairwise

from app.markdown.blocks import block_tokens, parse_blocks, plain_blocks
from app.markdown.model import Block

MAX_SEGMENT = 12_000  # a longer block is cut at a line end or space
MAX_LINE = 4_000  # the same for text without Markdown


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of raw text that parses on its own.

    Attributes:
        start: Raw offset.
        text: The text itself, cleaned.
        number: What its first numbered item is called, when it continues a list.
        is_open: Whether its end is still to come.
        is_plain: Whether it is shown as it stands, without Markdown.
    """

    start: int
    text: str
    number: int | None = None
    is_open: bool = False
    is_plain: bool = False

    def blocks(self) -> list[Block]:
        """Parse it."""
        if self.is_plain:
            return plain_blocks(self.text, self.start)
        return parse_blocks(self.text, self.start, number=self.number, is_open=self.is_open)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A top-level block or an item of a top-level list, as a range of the tail."""

    start: int
    number: int | None = None
    is_fence: bool = False


class Segmenter:
    """Reads text as it comes and hands out each segment as soon as nothing can change it.

    However the text is divided into calls, the segments are the same.
    """

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._tail = ""
        self._number: int | None = None
        self._seen = 0  # length of the whole lines that were looked at last

    def feed(self, text: str) -> list[Segment]:
        """Add text; return the segments that it completed."""
        self._tail += text
        done: list[Segment] = []
        while (start := _long_line(self._tail)) >= 0:
            self._take(start, done)
            if start := _long_line(self._tail):
                self._commit(start, None, done)
            self._commit(_cut(self._tail), None, done)
        self._take(self._tail.rfind("\n") + 1, done)
        return done

    def open_segment(self) -> Segment | None:
        """Return what may still change, or None."""
        if not self._tail:
            return None
        return Segment(self._start, self._tail, self._number, is_open=True)

    def finish(self) -> list[Segment]:
        """Return the rest: no more text will come."""
        done: list[Segment] = []
        if self._tail:
            self._commit(len(self._tail), None, done)
        return done

    def _take(self, whole: int, done: list[Segment]) -> None:
        """Move to ``done`` what is finished in the first ``whole`` characters of the tail."""
        while whole > self._seen:
            self._seen = whole
            units = _units(self._tail[:whole], self._number)
            consumed = 0
            for unit, following in pairwise([*units, _Unit(whole, None)]):
                size = following.start - unit.start
                if size > MAX_SEGMENT and not unit.is_fence:
                    self._commit(_cut(self._tail), None, done)
                    consumed += len(done[-1].text)
                    break
                if following.start < whole:
                    self._commit(size, following.number, done)
                    consumed += size
            whole -= consumed
            if consumed == 0:
                break

    def _commit(self, size: int, number: int | None, done: list[Segment]) -> None:
        done.append(Segment(self._start, self._tail[:size], self._number))
        self._start += size
        self._tail = self._tail[size:]
        self._number = number
        self._seen = 0


class PlainSegmenter:
    """The same for text without Markdown: every whole line is finished."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._tail = ""

    def feed(self, text: str) -> list[Segment]:
        """Add text; return the lines that it completed, in one piece."""
        self._tail += text
        done: list[Segment] = []
        if whole := self._tail.rfind("\n") + 1:
            for line in self._tail[:whole].splitlines(keepends=True):
                self._commit(line, done)
        while len(self._tail) > MAX_LINE:
            self._commit(self._tail[:MAX_LINE], done)
        return done

    def open_segment(self) -> Segment | None:
        """Return the unfinished last line, or None."""
        return Segment(self._start, self._tail, is_plain=True) if self._tail else None

    def finish(self) -> list[Segment]:
        """Return the rest: no more text will come."""
        done: list[Segment] = []
        self._commit(self._tail, done)
        return done

    def _commit(self, line: str, done: list[Segment]) -> None:
        for start in range(0, len(line), MAX_LINE):
            part = line[start : start + MAX_LINE]
            done.append(Segment(self._start, part, is_plain=True))
            self._start += len(part)
        self._tail = self._tail[len(line) :]


def _long_line(text: str) -> int:
    """Return where the first line that is too long starts, or -1."""
    if len(text) <= MAX_SEGMENT:
        return -1
    start = 0
    for line in text.split("\n"):
        if len(line) > MAX_SEGMENT:
            return start
        start += len(line) + 1
    return -1


def _cut(text: str) -> int:
    """Return where to cut a text that is too long: at a line end or space, if there is one."""
    for separator in "\n ":
        if (at := text.rfind(separator, 1, MAX_SEGMENT)) > 0:
            return at + 1
    return MAX_SEGMENT


def _units(text: str, number: int | None) -> list[_Unit]:
    """Return the top-level blocks and list items in ``text``."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    units: list[_Unit] = []
    next_number: int | None = None
    list_opens = False
    for token in block_tokens(text, is_open=True):
        if token.map is None or token.nesting < 0:
            continue
        at = starts[token.map[0]]
        if token.level == 0 and token.type.endswith("list_open"):
            list_opens, next_number = True, None
            if token.type == "ordered_list_open":
                next_number = int(token.attrs.get("start", 1))
                if at == 0 and number is not None:
                    next_number = number
        elif token.level == 0:
            units.append(_Unit(at, None, token.type == "fence"))
        elif token.level == 1 and token.type == "list_item_open":
            # Alone, an item that is indented by four would be code.
            if list_opens or text[at : at + 4].strip():
                units.append(_Unit(at, next_number))
            list_opens = False
            if next_number is not None:
                next_number += 1
    if units:
        units[0] = _Unit(0, units[0].number, units[0].is_fence)
    return units
