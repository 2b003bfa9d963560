"""Where the formulas of a text are."""

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_BLOCK = 4_000  # a formula that has not ended after so many characters is none

_PAIRS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}


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
