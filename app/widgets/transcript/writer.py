"""Writing blocks into a text document, changing as little of it as possible."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextFrame, QTextTable

from app.markdown.model import Block, Run
from app.widgets.transcript.direction import is_right_to_left
from app.widgets.transcript.look import Look
from app.widgets.transcript.source_map import SourceMap

_ALIGN = {
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


@dataclass(frozen=True, slots=True)
class _Written:
    """A block in the document, and the position where it starts."""

    block: Block
    start: int


class DocumentWriter:
    """Appends blocks to a document; the last ones may be replaced until they are settled."""

    def __init__(self, document: QTextDocument, look: Look, is_narrow: bool = False) -> None:
        self._document, self._look, self._is_narrow = document, look, is_narrow
        self.source_map = SourceMap()
        self._before: Block | None = None  # the last settled block
        self._open: list[_Written] = []
        self._fresh = True  # the document's last block is empty and free to use
        self._table: QTextTable | None = None  # the last one
        self.code_starts: list[int] = []  # document positions of the first lines of code boxes

    def write(self, settled: Sequence[Block], open_blocks: Sequence[Block]) -> None:
        """Bring the end of the document up to date.

        Args:
            settled: Blocks that are complete; they replace the beginning of what was open.
            open_blocks: Blocks that may still change.
        """
        blocks = [*settled, *open_blocks]
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        same = self._common(blocks)
        if same < len(self._open) and same < len(blocks):
            same += self._extend(cursor, same, blocks[same])
        self._remove_from(cursor, same)
        for block in blocks[same:]:
            self._append(cursor, block)
        cursor.endEditBlock()
        if settled:
            self._before = self._open[len(settled) - 1].block
            del self._open[: len(settled)]

    def set_narrow(self, is_narrow: bool) -> None:
        """Leave room beside the first lines of code boxes for a label, or only for a button."""
        self._is_narrow = is_narrow
        for start in self.code_starts:
            cursor = QTextCursor(self._document.findBlock(start))
            form = cursor.blockFormat()
            form.setRightMargin(self._look.code_margin(True, is_narrow))
            cursor.setBlockFormat(form)

    def _common(self, blocks: Sequence[Block]) -> int:
        count = 0
        for written, block in zip(self._open, blocks, strict=False):
            if written.block != block:
                break
            count += 1
        return count

    def _extend(self, cursor: QTextCursor, index: int, block: Block) -> bool:
        """Add what ``block`` has more than the written one, if that is all that changed."""
        old = self._open[index].block
        if index != len(self._open) - 1 or block.kind == "table" or not old.runs:
            return False
        if replace(old, runs=()) != replace(block, runs=()) or len(block.runs) < len(old.runs):
            return False
        *same, last = old.runs
        new = block.runs[len(same)]
        if list(block.runs[: len(same)]) != same or not _continues(last, new):
            return False
        if block.kind == "code" and not old.text.strip():
            return False  # its format depends on how far it is indented
        if any(b.block.kind == "table" for b in self._open[index:]):
            return False
        cursor.movePosition(QTextCursor.MoveOperation.End)
        size = len(last.text)
        if rest := new.text[size:]:
            self._insert(cursor, Run(rest, new.start + size, len(rest), new.style, new.href), block)
        for run in block.runs[len(old.runs) :]:
            self._insert(cursor, run, block)
        self._open[index] = _Written(block, self._open[index].start)
        return True

    def _remove_from(self, cursor: QTextCursor, index: int) -> None:
        if index >= len(self._open):
            return
        start = self._open[index].start
        cursor.setPosition(start)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self.source_map.truncate(start)
        while self.code_starts and self.code_starts[-1] >= start:
            self.code_starts.pop()
        del self._open[index:]
        self._fresh = True

    def _append(self, cursor: QTextCursor, block: Block) -> None:
        before = self._open[-1].block if self._open else self._before
        block_format = self._look.block_format(block, before, self._is_narrow)
        char_format = self._look.char_format(block.runs[0].style if block.runs else 0, block)  # type: ignore[arg-type]
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._fresh:
            cursor.setBlockFormat(block_format)
            cursor.setBlockCharFormat(char_format)
        else:
            cursor.insertBlock(block_format, char_format)
        self._fresh = False
        # Qt leaves the margin above a block out at the top of a document and behind a table.
        if before is None or before.kind == "table":
            frame = self._table if before else self._document.rootFrame()
            self._space_frame(frame, block_format.topMargin())
        self._open.append(_Written(block, cursor.position()))
        if block.first:
            self.code_starts.append(cursor.position())
        if block.kind == "table":
            self._append_table(cursor, block)
        elif block.kind != "rule":
            for run in block.runs:
                self._insert(cursor, run, block)

    def _space_frame(self, frame: QTextFrame | None, margin: float) -> None:
        """Put ``margin`` below a table, or above everything in the frame of the document."""
        if frame is None:
            return
        form = frame.frameFormat()
        if isinstance(frame, QTextTable):
            form.setBottomMargin(margin)
        else:
            form.setTopMargin(margin)
        frame.setFrameFormat(form)

    def _append_table(self, cursor: QTextCursor, block: Block) -> None:
        columns = len(block.rows[0])
        is_rtl = is_right_to_left(block.text)
        form = self._look.table_format(block, is_rtl)
        table = cursor.insertTable(len(block.rows), columns, form)
        self._table = table
        for row, cells in enumerate(block.rows):
            cell_block = replace(block, kind="heading" if row == 0 else "paragraph", level=0)
            # Qt lays columns out from the left, whatever the direction of the table.
            for place in range(columns):
                column = columns - 1 - place if is_rtl else place
                cell = table.cellAt(row, place).firstCursorPosition()
                cell.setBlockFormat(self._cell_format(block, column, is_rtl))
                for run in cells[column] if column < len(cells) else ():
                    self._insert(cell, run, cell_block)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        small = QTextBlockFormat()
        small.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(small)
        self._fresh = True

    def _cell_format(self, block: Block, column: int, is_rtl: bool) -> QTextBlockFormat:
        form = QTextBlockFormat()
        alignment = _ALIGN.get(block.aligns[column] if block.aligns else "")
        if alignment is not None:
            form.setAlignment(alignment | Qt.AlignmentFlag.AlignAbsolute)
        elif is_rtl:
            form.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
        return form

    def _insert(self, cursor: QTextCursor, run: Run, block: Block) -> None:
        position = cursor.position()
        text = run.text.replace("\n", "\u2028")
        cursor.insertText(text, self._look.char_format(run.style, block, run.href))
        self.source_map.add(position, text, run.start, run.length)


def _continues(old: Run, new: Run) -> bool:
    """Return whether ``new`` is ``old`` with characters added, each standing for itself."""
    return (
        old.start == new.start
        and old.style == new.style
        and old.href == new.href
        and len(old.text) == old.length
        and len(new.text) == new.length
        and new.text.startswith(old.text)
    )
