"""Which raw characters the characters of a text document stand for."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class SourceMap:
    """Runs of document positions (UTF-16 units) and of raw offsets (characters), both ascending."""

    def __init__(self) -> None:
        self._doc: list[int] = []
        self._doc_length: list[int] = []
        self._raw: list[int] = []
        self._raw_length: list[int] = []

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
        low, high = self._raw[first], self._raw[last] + self._raw_length[last]
        if self._doc_length[first] == self._raw_length[first]:
            low += max(0, start - self._doc[first])
        if self._doc_length[last] == self._raw_length[last]:
            high = min(high, self._raw[last] + end - self._doc[last])
        return low, high

    def doc_ranges(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the document ranges that show the raw range ``start``..``end``."""
        index = max(0, bisect_right(self._raw, start) - 1)
        while index < len(self._raw) and self._raw[index] < end:
            raw, size = self._raw[index], self._raw_length[index]
            doc, doc_size = self._doc[index], self._doc_length[index]
            if raw + size > start:
                if size == doc_size:
                    yield doc + max(0, start - raw), doc + min(size, end - raw)
                else:
                    yield doc, doc + doc_size
            index += 1

    def covers_all(self, start: int, end: int) -> bool:
        """Return whether the document range holds every noted character."""
        if not self._doc:
            return False
        return start <= self._doc[0] and end >= self._doc[-1] + self._doc_length[-1]

    def _append(self, doc: int, doc_length: int, raw: int, raw_length: int) -> None:
        self._doc.append(doc)
        self._doc_length.append(doc_length)
        self._raw.append(raw)
        self._raw_length.append(raw_length)


def utf16_length(text: str) -> int:
    """Return how many UTF-16 units ``text`` has: what Qt counts in."""
    if text.isascii() or max(text) <= "\uffff":
        return len(text)
    return len(text) + sum(char > "\uffff" for char in text)
