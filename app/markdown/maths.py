"""LaTeX formulas: where they are, and how they read as plain text."""

import re
from functools import lru_cache

import unicodeit
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_LATEX = 2_000  # a longer formula stays as it is
MAX_BLOCK = 4_000  # a formula that has not ended after so many characters is none

_PAIRS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
_PLAIN_MACROS = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathsf|operatorname\*?|mbox)\s*\{([^{}]*)\}"
)
_SIZES = re.compile(r"\\(?:left|right|big|Big|bigg|Bigg)[lrm]?(?![A-Za-z])\s*\.?")
_SPACES = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[a-z]*matrix\*?\}")
_ALIGNED = re.compile(r"\\(?:begin|end)\s*\{(?:aligned|align|equation|gather|cases|split)\*?\}")
_SIMPLE = re.compile(r"\w+|\([^()]*\)")


@lru_cache(maxsize=512)
def readable(latex: str) -> str:
    """Return ``latex`` as text that reads like the formula: ``\\frac{a}{b} \\le x_i`` is a/b ≤ xᵢ.

    What has no such form stays LaTeX.
    """
    latex = latex.strip()
    if len(latex) > MAX_LATEX:
        return latex
    text = _PLAIN_MACROS.sub(r"\1", latex)
    text = _SIZES.sub("", text)
    text = _ENVIRONMENT.sub(lambda m: "[" if "begin" in m.group() else "]", text)
    text = _ALIGNED.sub("", text).replace("\\\\", "\n").replace("&", " ")
    text = _fractions(text)
    text = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√(\1)", text)
    text = _SPACES.sub(" ", text)
    text = str(unicodeit.replace(text))
    lines = (re.sub(r" {2,}", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line) or latex


def _fractions(text: str) -> str:
    """Write the innermost fractions as quotients until none is left."""
    pattern = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")

    def quotient(match: re.Match[str]) -> str:
        parts = (part.strip() for part in match.groups())
        return "/".join(p if _SIMPLE.fullmatch(p) else f"({p})" for p in parts)

    for _ in range(8):
        text, count = pattern.subn(quotient, text)
        if not count:
            break
    return text


def math_inline(state: StateInline, silent: bool) -> bool:
    """Inline rule: ``$…$``, ``$$…$$``, ``\\(…\\)`` and ``\\[…\\]`` inside a paragraph."""
    src, pos = state.src, state.pos
    opener = src[pos : pos + 2]
    if opener in _PAIRS:
        closer = _PAIRS[opener]
        end = src.find(closer, pos + 2, min(state.posMax, pos + MAX_BLOCK))
    elif opener.startswith("$"):
        opener = closer = "$"
        end = _dollar_end(src, pos, min(state.posMax, pos + MAX_BLOCK))
    else:
        return False
    start = pos + len(opener)
    if end < 0 or not src[start:end].strip():
        return False
    if not silent:
        token = state.push("math_inline", "", 0)
        token.content = src[start:end]
        token.markup = src[pos : end + len(closer)]
    state.pos = end + len(closer)
    return True


def _dollar_end(src: str, pos: int, limit: int) -> int:
    """Return where the ``$`` that closes the one at ``pos`` is; prices are no formulas."""
    if pos + 1 >= limit or src[pos + 1].isspace():
        return -1
    end = pos
    while (end := src.find("$", end + 1, limit)) > 0:
        if src[end - 1] == "\\":
            continue
        after = src[end + 1 : end + 2]
        return -1 if src[end - 1].isspace() or after.isdigit() or "\n\n" in src[pos:end] else end
    return -1


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Block rule: a formula that starts its line with ``$$`` or ``\\[`` and ends one."""
    if state.is_code_block(start):
        return False
    first = state.bMarks[start] + state.tShift[start]
    opener = state.src[first : first + 2]
    if opener not in ("$$", "\\["):
        return False
    closer = _PAIRS[opener]
    limit = min(state.eMarks[end - 1], first + MAX_BLOCK)
    close = state.src.find(closer, first + 2, limit)
    unfinished = close < 0 and state.env.get("open") and state.eMarks[end - 1] <= limit
    if close < 0 and not unfinished:
        return False
    close = limit if unfinished else close
    line = start
    while line < end - 1 and state.eMarks[line] < close:
        line += 1
    if state.src[close + 2 : state.eMarks[line]].strip(" .,"):
        return False  # text goes on behind it: a formula in a paragraph
    if silent:
        return True
    state.line = line + 1
    token = state.push("math_block", "", 0)
    token.map = [start, state.line]
    token.content = state.src[first + 2 : close]
    token.markup = state.src[first : state.eMarks[line]]
    token.meta = {"pos": first}
    return True
