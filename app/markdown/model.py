"""What a parsed message is made of."""

from dataclasses import dataclass, field
from enum import IntFlag
from typing import Literal

BlockKind = Literal["paragraph", "heading", "code", "rule", "math", "table", "line"]


class Style(IntFlag):
    """How a run of characters is drawn."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRIKE = 4
    CODE = 8
    MATH = 16


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of one style.

    Attributes:
        text: The characters to draw; ``\\n`` breaks the line.
        start: Offset of the first of them in the raw text.
        length: How many raw characters they stand for. Equal to ``len(text)`` when each character
            stands for itself; otherwise the run as a whole stands for that stretch.
        style: How they are drawn.
        href: Where a click leads, or "".
    """

    text: str
    start: int
    length: int
    style: Style = Style.PLAIN
    href: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, line of code, rule, formula or table.

    Attributes:
        kind: What it is. Each line of a code box is a block of its own; a ``line`` is text that was
            not parsed.
        runs: Its characters.
        level: Heading level 1..6.
        indent: How many lists and quotations it is inside.
        quotes: Which of the levels of ``indent`` are quotations; the others are lists.
        marker: Bullet or number in front of it; only the first block of a list item has one.
        first: Whether a code line opens its box.
        language: Language of a code line, as the fence names it.
        rows: Cells of a table, the header row first.
        aligns: "left", "center", "right" or "" for each column.
    """

    kind: BlockKind
    runs: tuple[Run, ...] = ()
    level: int = 0
    indent: int = 0
    quotes: tuple[int, ...] = ()
    marker: str = ""
    first: bool = False
    language: str = ""
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = field(default=())
    aligns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Its characters without styles; cells of a table are separated by tabs."""
        if self.kind == "table":
            return "\n".join("\t".join(map(_joined, row)) for row in self.rows)
        return _joined(self.runs)


def _joined(runs: tuple[Run, ...]) -> str:
    return "".join(run.text for run in runs)
