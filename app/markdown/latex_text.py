"""How a LaTeX formula reads as plain text."""

import re
import unicodedata
from functools import lru_cache

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

MAX_LATEX = 2_000  # a longer formula stays as it is
_ROUNDS = 8  # how deep fractions, roots and scripts are resolved

_TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|mathrm|mathsf|operatorname\*?|mbox)\s*\{([^{}]*)\}"
)
_SIZES = re.compile(r"\\(?:left|right|big|Big|bigg|Bigg)[lrm]?(?![A-Za-z])\s*\.?")
_SPACES = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))")
_MATRIX = re.compile(r"\\(?:begin|end)\s*\{[a-z]*matrix\*?\}")
_ALIGNED = re.compile(r"\\(?:begin|end)\s*\{(?:aligned|align|equation|gather|cases|split)\*?\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_LETTERS = re.compile(
    r"\\(?:math(?:bb|bf|cal|scr|frak|it)|hat|vec|bar|tilde|d?dot|check|breve)\s*(?:\{(\w)\}|(\w)\b)"
)
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\s{}\\(]))")
_MACRO = re.compile(r"\\([A-Za-z]+)(?: (?=\w))?")
_SIMPLE = re.compile(r"\d+|[^\W\d]\w*|[\w√]*\([^()]*\)")

# Names that the library does not know, by ones that it does.
_ALIASES = {
    "ne": "neq",
    "iff": "Leftrightarrow",
    "implies": "Rightarrow",
    "gets": "leftarrow",
    "land": "wedge",
    "lor": "vee",
    "lvert": "mid",
    "rvert": "mid",
}
_RAISED = {"′": "′", "'": "′", "∘": "°"}  # what stands high by itself


@lru_cache(maxsize=512)
def readable(latex: str) -> str:
    """Return ``latex`` as text that reads like it: ``\\frac{a}{b} \\le x_i`` is a/b ≤ xᵢ.

    What has no such form stays LaTeX.
    """
    latex = latex.strip()
    if len(latex) > MAX_LATEX:
        return latex
    text = _TEXT.sub(r"\1", latex)
    text = _SIZES.sub("", text)
    text = _MATRIX.sub(lambda m: "[" if "begin" in m.group() else "]", text)
    text = _ALIGNED.sub("", text).replace("\\\\", "\n").replace("&", " ")
    text = _SPACES.sub(" ", text)
    text = _LETTERS.sub(_letter, text)
    for _ in range(_ROUNDS):
        before = text
        text = _SCRIPT.sub(_script, _MACRO.sub(_symbol, text))
        text = _ROOT.sub(r"√(\1)", text)
        text = _FRACTION.sub(_quotient, text)
        if text == before:
            break
    text = re.sub(r"\\([{}%$#_&|])", r"\1", text)
    lines = (re.sub(r" {2,}", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line) or latex


@lru_cache(maxsize=1)
def _symbols() -> dict[str, str]:
    """Names of macros that stand for a character or a word like "log"."""
    database = get_default_latex_context_db()
    symbols: dict[str, str] = {"neg": "¬", "lnot": "¬", "Re": "ℜ", "Im": "ℑ"}
    for category in database.categories():
        for spec in database.iter_macro_specs(categories=[category]):
            text = spec.simplify_repl
            is_word = isinstance(text, str) and not re.search(r"[%<\d]", text)
            if is_word and text.strip() and len(text) <= 7:
                symbols.setdefault(spec.macroname, text)
    return symbols | {new: symbols[old] for new, old in _ALIASES.items() if old in symbols}


def _symbol(match: re.Match[str]) -> str:
    found = _symbols().get(match.group(1))
    if found is None:
        return match.group()
    is_letter = len(found) == 1 and found.isalpha()
    space = match.group()[1 + len(match.group(1)) :]
    return found if is_letter else found + space


def _letter(match: re.Match[str]) -> str:
    return str(LatexNodes2Text(math_mode="text").latex_to_text(match.group())).strip()


def _quotient(match: re.Match[str]) -> str:
    parts = (part.strip() for part in match.groups())
    return "/".join(part if _SIMPLE.fullmatch(part) else f"({part})" for part in parts)


@lru_cache(maxsize=1)
def _scripts() -> dict[str, dict[str, str]]:
    """Characters that have a raised or lowered form, from Unicode's own decompositions."""
    tables: dict[str, dict[str, str]] = {"^": {}, "_": {}}
    for code in [0xAA, 0xB2, 0xB3, 0xB9, 0xBA, *range(0x1D2C, 0x1D6B), *range(0x2070, 0x209D)]:
        kind, _, base = unicodedata.decomposition(chr(code)).partition(" ")
        sign = {"<super>": "^", "<sub>": "_"}.get(kind)
        if sign and " " not in base:
            tables[sign].setdefault(chr(int(base, 16)), chr(code))
    tables["_"]["j"] = "\u2c7c"
    for table in tables.values():
        if "\u2212" in table:
            table.setdefault("-", table["\u2212"])
    return tables


def _script(match: re.Match[str]) -> str:
    sign = match.group(1)
    content = (match.group(2) if match.group(2) is not None else match.group(3)).strip()
    table = _scripts()[sign]
    if content and all(char in table for char in content):
        return "".join(table[char] for char in content)
    if sign == "^" and content in _RAISED:
        return _RAISED[content]
    if match.group(2) is None or len(content) <= 1:
        return f"{sign}{content}"
    return f"{sign}({content})"
