"""Which raw characters the characters of a text document stand for."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator


class SourceMap:
    """Runs of document positions (UTF-16 units), ascending, and of raw offsets (characters).

    Raw offsets ascend too, but for the cells of a table whose columns are mirrored.
    """

    def __init__(self) -> None:
        self._doc: list[int] = []
        self._doc_length: list[int] = []
        self._raw: list[int] = []
        self._raw_length: list[int] = []
        self._by_raw: list[tuple[int, int]] = []  # (raw offset, run), ascending

    def add(self, doc: int, text: str, raw: int, raw_length: int) -> int:
        """Note that ``text``, at document position ``doc``, stands for raw characters.

        Returns:
            The length of ``text`` in the document.
        """
        if text.isascii() or max(text) <= "\uffff":
            self._append(doc, len(text), raw, raw_length)
            return len(text)
        if raw_length != len(text):
            size = utf16_length(text)
            self._append(doc, size, raw, raw_length)
            return size
        begin, at = 0, doc
        for index, char in enumerate(text):
            if char > "\uffff":
                if index > begin:
                    self._append(at, index - begin, raw + begin, index - begin)
                    at += index - begin
                self._append(at, 2, raw + index, 1)
                at += 2
                begin = index + 1
        if begin < len(text):
            self._append(at, len(text) - begin, raw + begin, len(text) - begin)
            at += len(text) - begin
        return at - doc

    def truncate(self, doc: int) -> None:
        """Forget everything from document position ``doc`` on."""
        keep = bisect_left(self._doc, doc)
        for raw, run in zip(self._raw[keep:], range(keep, len(self._raw)), strict=True):
            del self._by_raw[bisect_left(self._by_raw, (raw, run))]
        for column in (self._doc, self._doc_length, self._raw, self._raw_length):
            del column[keep:]

    def raw_offset(self, doc: int) -> int | None:
        """Return the raw offset of the character at document position ``doc``, if it has one."""
        index = bisect_right(self._doc, doc) - 1
        if index < 0 or doc >= self._doc[index] + self._doc_length[index]:
            return None
        if self._doc_length[index] == self._raw_length[index]:
            return self._raw[index] + doc - self._doc[index]
        return self._raw[index]

    def raw_range(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the raw range that the document range ``start``..``end`` stands for."""
        first = bisect_right(self._doc, start) - 1
        if first < 0 or start >= self._doc[first] + self._doc_length[first]:
            first += 1
        last = bisect_left(self._doc, end) - 1
        if last < first or first >= len(self._doc):
            return None
        lows = self._raw[first : last + 1]
        highs = [low + size for low, size in zip(lows, self._raw_length[first:], strict=False)]
        if self._doc_length[first] == self._raw_length[first]:
            lows[0] += max(0, start - self._doc[first])
        if self._doc_length[last] == self._raw_length[last]:
            highs[-1] = min(highs[-1], self._raw[last] + end - self._doc[last])
        return min(lows), max(highs)

    def doc_ranges(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the document ranges that show the raw range ``start``..``end``."""
        at = max(0, bisect_right(self._by_raw, (start, len(self._raw))) - 1)
        while at < len(self._by_raw) and self._by_raw[at][0] < end:
            raw, run = self._by_raw[at]
            size, doc, doc_size = self._raw_length[run], self._doc[run], self._doc_length[run]
            if raw + size > start:
                if size == doc_size:
                    yield doc + max(0, start - raw), doc + min(size, end - raw)
                else:
                    yield doc, doc + doc_size
            at += 1

    def covers_all(self, start: int, end: int) -> bool:
        """Return whether the document range holds every noted character."""
        if not self._doc:
            return False
        return start <= self._doc[0] and end >= self._doc[-1] + self._doc_length[-1]

    def _append(self, doc: int, doc_length: int, raw: int, raw_length: int) -> None:
        insort(self._by_raw, (raw, len(self._raw)))
        self._doc.append(doc)
        self._doc_length.append(doc_length)
        self._raw.append(raw)
        self._raw_length.append(raw_length)


def utf16_length(text: str) -> int:
    """Return how many UTF-16 units ``text`` has: what Qt counts in."""
    if text.isascii() or max(text) <= "\uffff":
        return len(text)
    return len(text) + sum(char > "\uffff" for char in text)
