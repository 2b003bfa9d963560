"""The text inside a block: markdown-it's inline rules, with the place of every token kept."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from app.markdown.latex_text import readable
from app.markdown.model import Run, Style

_URL = re.compile(r"://[^\s<>\"'`*\\|]+")
_SCHEME = re.compile(r"(?<![a-z0-9.+-])https?$", re.IGNORECASE)
_TOGGLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}
MARKUP_BUDGET = 1_500  # a paragraph with more characters of markup than this is not meant as such
_MARKUP = re.compile(r"[\[\]*_~`<$\\!]")


class PlacedState(StateInline):
    """Inline state that notes for each token where in the source it began (``meta["pos"]``)."""

    rule_start = 0
    pending_start = 0
    _same_rule = 0

    def begin_rule(self) -> None:
        """Remember that a construct begins at the present position."""
        self.rule_start = self.pos
        self._same_rule = 0
        if not self.pending:
            self.pending_start = self.pos

    def pushPending(self) -> Token:
        """Flush plain text as a token."""
        token = super().pushPending()
        token.meta = {"pos": self.pending_start}
        return token

    def push(self, ttype: str, tag: str, nesting: int) -> Token:
        """Add a token; several by one rule are delimiters, one character each."""
        token = super().push(ttype, tag, nesting)  # type: ignore[arg-type]
        token.meta = {"pos": self.rule_start + self._same_rule}
        self._same_rule += 1
        return token


class PlacedInline(ParserInline):
    """markdown-it's inline parser on :class:`PlacedState`."""

    def tokenize(self, state: StateInline) -> None:
        """Generate tokens, as the base class does, noting places."""
        rules = self.ruler.getRules("")
        end = state.posMax
        while state.pos < end:
            if isinstance(state, PlacedState):
                state.begin_rule()
            if not any(rule(state, False) for rule in rules):
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Turn ``src`` into placed tokens."""
        state = PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def product_star(state: StateInline, silent: bool) -> bool:
    """Inline rule: a star between two letters or digits multiplies; it does not emphasise."""
    src, pos = state.src, state.pos
    if silent or src[pos] != "*" or not 0 < pos < state.posMax - 1:
        return False
    before, after = src[pos - 1], src[pos + 1]
    if not (before.isascii() and before.isalnum() and after.isascii() and after.isalnum()):
        return False
    state.append_pending("*")
    state.pos += 1
    return True


def bare_url(state: StateInline, silent: bool) -> bool:
    """Inline rule: an http(s) address without any markup."""
    src, pos = state.src, state.pos
    if src[pos] != ":" or state.linkLevel > 0 or silent or not src.startswith("://", pos):
        return False
    scheme = _SCHEME.search(state.pending[-16:])
    rest = _URL.match(src, pos, state.posMax)
    if not scheme or not rest:
        return False
    tail = rest.group().rstrip(".,:;!?")
    while tail.endswith(")") and tail.count(")") > tail.count("("):
        tail = tail[:-1].rstrip(".,:;!?")
    if len(tail) <= 3:
        return False
    url = scheme.group() + tail
    state.pending = state.pending[: -len(scheme.group())]
    start = pos - len(scheme.group())
    for kind, nesting, content in (("link_open", 1, ""), ("text", 0, url), ("link_close", -1, "")):
        token = state.push(kind, "a" if nesting else "", nesting)  # type: ignore[arg-type]
        token.content = content
        token.meta = {"pos": start}
        if nesting == 1:
            token.attrs = {"href": url}
    state.pos = pos + len(tail)
    return True


def inline_runs(md: MarkdownIt, content: str, place: Callable[[int], int]) -> tuple[Run, ...]:
    """Parse the text of one block.

    Args:
        md: The parser.
        content: The block's text without its block markup.
        place: Gives the raw offset of an offset into ``content``.
    """
    if len(_MARKUP.findall(content)) > MARKUP_BUDGET:
        return _plain(content, place)
    tokens: list[Token] = []
    md.inline.parse(content, md, {}, tokens)
    style, href = Style.PLAIN, ""
    runs: list[Run] = []
    for token in tokens:
        if token.type == "link_open":
            href = str(token.attrs.get("href", ""))
        elif token.type == "link_close":
            href = ""
        elif token.nesting and token.tag in _TOGGLES:
            flag = _TOGGLES[token.tag]
            style = style | flag if token.nesting > 0 else style & ~flag
        else:
            runs.extend(_runs_of(token, content, place, style, href))
    return tuple(runs)


def _runs_of(
    token: Token, content: str, place: Callable[[int], int], style: Style, href: str
) -> list[Run]:
    pos = int(token.meta.get("pos", 0))
    match token.type:
        case "text" if token.content:
            return _exact(token.content, content, pos, place, style, href)
        case "text_special":
            return [Run(token.content, place(pos), len(token.markup), style, href)]
        case "code_inline":
            pos += len(token.markup)
            return _exact(token.content, content, pos, place, style | Style.CODE, href)
        case "math_inline":
            text = readable(token.content)
            return [Run(text, place(pos), len(token.markup), style | Style.MATH, href)]
        case "softbreak" | "hardbreak":
            end = content.find("\n", pos)
            return [Run("\n", place(end if end >= 0 else pos), 1, style, href)]
        case "image":
            source = str(token.attrs.get("src", ""))
            label = f"🖼 {token.content or source}"
            return [Run(label, place(pos), len(token.content) + 2, style, href or source)]
    return []


def _exact(
    text: str, content: str, pos: int, place: Callable[[int], int], style: Style, href: str
) -> list[Run]:
    """Return runs in which each character stands for itself, one for each source line."""
    seen = text.replace("\n", " ")
    at = content.replace("\n", " ").find(seen, pos) if "\n" in content else content.find(text, pos)
    if at < 0:  # a normalised address: the whole stands for the whole
        return [Run(text, place(pos), len(text), style, href)]
    runs = []
    lines = content[at : at + len(text)].split("\n")
    done = 0
    for number, line in enumerate(lines):
        size = len(line) + (number < len(lines) - 1)
        if size:
            runs.append(Run(text[done : done + size], place(at + done), size, style, href))
        done += size
    return runs


def _plain(content: str, place: Callable[[int], int]) -> tuple[Run, ...]:
    runs, pos = [], 0
    for line in content.split("\n"):
        size = min(len(line) + 1, len(content) - pos)
        if size:
            runs.append(Run(content[pos : pos + size], place(pos), size))
        pos += size
    return tuple(runs)
