"""Colouring code in a document, a few milliseconds at a time."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtGui import QTextCharFormat, QTextDocument, QTextLayout

from app.markdown.highlight import CodeRole, highlight
from app.widgets.transcript.geometry import code_lines
from app.widgets.transcript.look import LANGUAGE, Look
from app.widgets.transcript.source_map import utf16_length

MAX_CODE = 100_000  # a longer listing stays plain


@dataclass(slots=True)
class _Job:
    start: int
    lines: list[str]
    tokens: Iterator[tuple[int, int, CodeRole | None]]
    line: int = 0  # the line being filled
    line_start: int = 0  # its offset in the code
    ranges: list[QTextLayout.FormatRange] = field(default_factory=list)


class CodeColours:
    """Formats that lie over the text of code boxes and are no part of it."""

    def __init__(self, document: QTextDocument, look: Look) -> None:
        self._document, self._look = document, look
        self._jobs: dict[int, _Job] = {}

    @property
    def busy(self) -> bool:
        """Whether there is anything left to colour."""
        return bool(self._jobs)

    def start(self, position: int) -> None:
        """Colour the box whose first line is at ``position``."""
        block = self._document.findBlock(position)
        lines = [line.text() for line in code_lines(self._document, position)]
        code = "\n".join(lines)
        language = str(block.blockFormat().property(LANGUAGE) or "")
        if language and len(code) <= MAX_CODE:
            self._jobs[position] = _Job(position, lines, highlight(code, language))

    def work(self, deadline: float) -> None:
        """Go on until ``time.perf_counter()`` reaches ``deadline``."""
        while self._jobs and time.perf_counter() < deadline:
            position, job = next(iter(self._jobs.items()))
            if self._fill(job, deadline):
                self._jobs.pop(position, None)

    def _fill(self, job: _Job, deadline: float) -> bool:
        for count, (offset, length, role) in enumerate(job.tokens, start=1):
            self._add(job, offset, length, role)
            if count % 32 == 0 and time.perf_counter() > deadline:
                return False
        self._flush(job)
        return True

    def _add(self, job: _Job, offset: int, length: int, role: CodeRole | None) -> None:
        end = offset + length
        while offset < end and job.line < len(job.lines):
            line_end = job.line_start + len(job.lines[job.line])
            if offset > line_end:
                self._flush(job)
                continue
            stop = min(end, line_end)
            if role is not None and stop > offset:
                text = job.lines[job.line]
                before = utf16_length(text[: offset - job.line_start])
                size = utf16_length(text[offset - job.line_start : stop - job.line_start])
                job.ranges.append(_format_range(before, size, self._look.code_formats[role]))
            offset = stop + 1 if stop == line_end and stop < end else stop
            if offset > line_end:
                self._flush(job)

    def _flush(self, job: _Job) -> None:
        """Give the finished line its formats and go to the next one."""
        if job.line >= len(job.lines):
            return
        first = self._document.findBlock(job.start)
        block = self._document.findBlockByNumber(first.blockNumber() + job.line)
        text = job.lines[job.line]
        if block.isValid() and block.text().startswith(text) and job.ranges:
            block.layout().setFormats(job.ranges)
            self._document.markContentsDirty(block.position(), block.length())
        job.ranges = []
        job.line += 1
        job.line_start += len(text) + 1


def _format_range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    result: Any = QTextLayout.FormatRange()
    result.start, result.length, result.format = start, length, form
    return result  # type: ignore[no-any-return]
