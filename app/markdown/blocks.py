"""From raw text to blocks: markdown-it's block rules, without HTML, references or images."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.markdown.inline import PlacedInline, bare_url, inline_runs, product_star
from app.markdown.latex_text import readable
from app.markdown.maths import math_block, math_inline
from app.markdown.model import Block, Run, Style

MAX_DEPTH = 16  # quotes and lists nested deeper than this stay text
MAX_CELLS = 1_200  # a larger table is shown as the lines it is made of
BULLETS = "•◦▪"
_TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """Return the one configured parser."""
    md = MarkdownIt("commonmark", {"maxNesting": 2 * MAX_DEPTH, "html": False})
    md.inline = PlacedInline()
    md.enable(["table", "strikethrough"])
    # Without references nothing is hidden: a definition is a line of text like any other.
    md.disable(["html_block", "html_inline", "reference", "fragments_join"])
    alternatives: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    md.block.ruler.before("table", "too_deep", _too_deep)
    md.block.ruler.before("fence", "math_block", math_block, alternatives)
    md.inline.ruler.before("escape", "math", math_inline)
    md.inline.ruler.before("escape", "bare_url", bare_url)
    md.inline.ruler.before("emphasis", "product_star", product_star)
    return md


def block_tokens(source: str, *, is_open: bool = False) -> list[Token]:
    """Return markdown-it's block tokens; ``is_open`` says that more text will follow."""
    md = parser()
    tokens: list[Token] = []
    md.block.parse(source, md, {"open": is_open}, tokens)
    return tokens


def parse_blocks(
    source: str, base: int = 0, *, number: int | None = None, is_open: bool = False
) -> list[Block]:
    """Parse Markdown.

    Args:
        source: The text, cleaned (:func:`app.markdown.clean.clean`).
        base: Raw offset of its first character.
        number: What the first item of a numbered list is to be called, when the list began before.
        is_open: Whether more text will follow: a formula may still be closed.
    """
    return list(_Converter(source, base, number).convert(block_tokens(source, is_open=is_open)))


def plain_blocks(source: str, base: int = 0) -> list[Block]:
    """Return ``source`` line by line, unparsed; a line end at its very end opens no new line."""
    blocks, pos = [], base
    for line in source.removesuffix("\n").split("\n"):
        blocks.append(Block("line", (Run(line, pos, len(line)),) if line else ()))
        pos += len(line) + 1
    return blocks


def _too_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: keep what is nested too deep as text instead of dropping it."""
    if state.level < MAX_DEPTH:
        return False
    if not silent:
        state.line = end
        state.push("paragraph_open", "p", 1).map = [start, end]
        token = state.push("inline", "", 0)
        token.content = state.getLines(start, end, state.blkIndent, False).strip()
        token.map = [start, end]
        state.push("paragraph_close", "p", -1)
    return True


class _Converter:
    """Walks over block tokens and writes blocks, with lists and quotes as attributes."""

    def __init__(self, source: str, base: int, number: int | None) -> None:
        self._source, self._base = source, base
        self._lines = [0, *(i + 1 for i, c in enumerate(source) if c == "\n")]
        self._number = number
        # What is open: the next number of a list, None for one with bullets, "quote" for a quote.
        self._open: list[int | str | None] = []
        self._marker = ""

    def convert(self, tokens: list[Token]) -> Iterator[Block]:
        heading = 0
        stream = iter(tokens)
        for token in stream:
            match token.type:
                case "ordered_list_open":
                    start = token.attrs.get("start", 1)
                    first = self._number if self._number is not None else int(start)
                    self._open.append(first)
                case "bullet_list_open":
                    self._open.append(None)
                case "blockquote_open":
                    self._open.append("quote")
                case "bullet_list_close" | "ordered_list_close" | "blockquote_close":
                    self._open.pop()
                case "list_item_open":
                    self._marker = self._next_marker(token)
                case "list_item_close":
                    if self._marker:  # an empty item
                        yield self._block("paragraph", ())
                case "heading_open":
                    heading = int(token.tag[1])
                case "heading_close":
                    heading = 0
                case "inline":
                    yield self._text(token, heading)
                case "fence" | "code_block":
                    yield from self._code(token)
                case "math_block":
                    start = self._base + int(token.meta["pos"])
                    run = Run(readable(token.content), start, len(token.markup), Style.MATH)
                    yield self._block("math", (run,))
                case "hr":
                    start = self._lines[token.map[0]] if token.map else 0
                    run = Run("\n", self._base + start, len(token.markup))
                    yield self._block("rule", (run,))
                case "table_open":
                    yield from self._table(token, stream)
            self._number = None

    def _block(self, kind: str, runs: tuple[Run, ...], **more: object) -> Block:
        marker, self._marker = self._marker, ""
        return Block(
            kind,  # type: ignore[arg-type]
            runs,
            indent=len(self._open),
            quotes=tuple(i for i, what in enumerate(self._open) if what == "quote"),
            marker=marker,
            **more,  # type: ignore[arg-type]
        )

    def _next_marker(self, token: Token) -> str:
        number = self._open[-1]
        if not isinstance(number, int):
            return BULLETS[(self._open.count(None) - 1) % len(BULLETS)]
        self._open[-1] = number + 1
        return f"{number}{token.markup}"

    def _text(self, token: Token, heading: int) -> Block:
        content = token.content
        place = self._placer(token, content)
        if self._marker and self._marker in BULLETS and content[:4] in _TASKS:
            self._marker = _TASKS[content[:4]]
            content, inner = content[4:], place
            place = lambda pos: inner(pos + 4)  # noqa: E731
        runs = inline_runs(parser(), content, place)
        return self._block("heading" if heading else "paragraph", runs, level=heading)

    def _code(self, token: Token) -> Iterator[Block]:
        first, _last = token.map or (0, 0)
        lines = token.content.removesuffix("\n").split("\n")
        language = token.info.strip().split(maxsplit=1)[0] if token.info.strip() else ""
        line_number = first + (token.type == "fence")
        for index, line in enumerate(lines):
            place = self._placer_for([line], line_number + index)
            runs = (Run(line, place(0), len(line), Style.CODE),) if line else ()
            yield self._block("code", runs, first=index == 0, language=language)

    def _table(self, opening: Token, stream: Iterator[Token]) -> Iterator[Block]:
        rows: list[tuple[tuple[Run, ...], ...]] = []
        aligns: list[str] = []
        cells: list[tuple[Run, ...]] = []
        cursor = 0
        for token in stream:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                cells, cursor = [], 0
            elif token.type == "tr_close":
                rows.append(tuple(cells))
            elif token.type == "th_open":
                aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                place = self._placer(token, token.content, after=cursor)
                cells.append(inline_runs(parser(), token.content, place))
                cursor = place(len(token.content)) - self._base
        if sum(map(len, rows)) <= MAX_CELLS:
            yield self._block("table", (), rows=tuple(rows), aligns=tuple(aligns))
            return
        first, last = opening.map or (0, 0)
        for number in range(first, last):
            line = self._line(number)
            run = Run(line, self._base + self._lines[number], len(line))
            yield self._block("line", (run,) if line else ())

    def _placer(self, token: Token, content: str, after: int = 0) -> Callable[[int], int]:
        first = token.map[0] if token.map else 0
        return self._placer_for(content.split("\n"), first, after)

    def _placer_for(self, lines: list[str], first: int, after: int = 0) -> Callable[[int], int]:
        """Return the function from an offset into ``lines`` to a raw offset.

        A line of content is the end of its source line: block markup stands in front. Cells of a
        table and closed headings are found by searching.
        """
        offsets, places, offset = [], [], 0
        for number, line in enumerate(lines, start=first):
            begin = self._lines[min(number, len(self._lines) - 1)]
            raw = self._line(number)
            text, stripped = line.rstrip(), raw.rstrip()
            if not after and stripped.endswith(text):
                at = len(stripped) - len(text)
            else:
                from_cell = max(0, after - begin)
                at = raw.find(text, from_cell)
                if at < 0:  # a pipe inside a cell is escaped
                    at = max(raw.find(text.replace("|", "\\|"), from_cell), 0)
            offsets.append(offset)
            places.append(self._base + begin + at)
            offset += len(line) + 1

        def place(pos: int) -> int:
            index = bisect_right(offsets, pos) - 1
            return places[index] + pos - offsets[index]

        return place

    def _line(self, number: int) -> str:
        if number >= len(self._lines):
            return ""
        end = self._lines[number + 1] - 1 if number + 1 < len(self._lines) else len(self._source)
        return self._source[self._lines[number] : end]
