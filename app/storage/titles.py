"""Titles for chats, made from their first exchange."""

import re

from app.storage.text import one_line, without_marks

MAX_TITLE_CHARS = 200
AUTO_TITLE_CHARS = 48
_ENOUGH_LETTERS = 8

_CODE_BLOCK = re.compile(r"(```|~~~).*?(\1|\Z)", re.DOTALL)
_THINKING = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
# A full stop ends a sentence only before a space; CJK stops need none. A question keeps its mark.
_SENTENCE_END = re.compile(r"[.!…]+(?=\s)|(?<=\?)\s|(?<=？)|[。！]|\n")
_LOOSE_ENDS = " .:,;!-–—"


def title_from_exchange(user_text: str, reply_text: str = "") -> str:
    """A short title for a chat.

    The first sentence of what the person wrote; if that is next to nothing ("hi", only code), the
    first sentence of the reply.

    Returns:
        One line of at most 48 characters, empty when both texts are.
    """
    own = _first_sentence(user_text)
    if sum(map(str.isalnum, own)) >= _ENOUGH_LETTERS:
        return own
    reply = _first_sentence(_THINKING.sub(" ", reply_text))
    return reply or own or one_line(user_text, AUTO_TITLE_CHARS)


def _first_sentence(text: str) -> str:
    text = _CODE_BLOCK.sub("\n", text[:20_000])
    text = without_marks(text).strip()
    parts = (part.strip() for part in _SENTENCE_END.split(text))
    sentence = next((part for part in parts if any(map(str.isalnum, part))), "")
    return _cut_at_word(one_line(sentence, 10_000).rstrip(_LOOSE_ENDS))


def _cut_at_word(line: str) -> str:
    if len(line) <= AUTO_TITLE_CHARS:
        return line
    head = line[: AUTO_TITLE_CHARS - 1]
    space = head.rfind(" ")
    if space > AUTO_TITLE_CHARS // 2 and not line[AUTO_TITLE_CHARS - 1].isspace():
        head = head[:space]
    return head.rstrip(_LOOSE_ENDS) + "…"
