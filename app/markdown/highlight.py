"""Which characters of a piece of code are keywords, strings and so on."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from pygments.util import ClassNotFound

CodeRole = Literal["keyword", "string", "comment", "number", "name"]

_ROLES: list[tuple[object, CodeRole]] = [
    (Comment, "comment"),
    (String, "string"),
    (Number, "number"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Decorator, "name"),
    (Name.Tag, "keyword"),
    (Name.Attribute, "name"),
    (Token.Generic.Deleted, "keyword"),
    (Token.Generic.Inserted, "string"),
]


@lru_cache(maxsize=64)
def lexer_for(language: str) -> Lexer | None:
    """Return the lexer for a language as a fence names it, or None when there is none."""
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def highlight(code: str, language: str) -> Iterator[tuple[int, int, CodeRole | None]]:
    """Yield (offset, length, role) for every token of ``code``, lazily; role None is plain.

    The caller may stop at any token and go on later: a long listing need not be done in one go.
    """
    lexer = lexer_for(language) if language else None
    if lexer is None:
        return
    for offset, kind, text in lexer.get_tokens_unprocessed(code):
        role = next((role for parent, role in _ROLES if kind in parent), None)  # type: ignore[operator]
        yield offset, len(text), role
