"""The part of a reply in which the model thinks aloud, between ``<think>`` and ``</think>``."""

import re
from dataclasses import dataclass

_OPEN = re.compile(r"\s*<think>\n?")
_TAG = "<think>"
# Templates often write the opening tag themselves, so that the reply only has the closing one. It
# counts where a line ends with it and it is not quoted as code.
_CLOSE_ALONE = re.compile(r"</think>[ \t]*(?=\n)")
_CLOSE_AT_END = re.compile(r"</think>\s*\Z")


@dataclass(frozen=True, slots=True)
class Parts:
    """Offsets into a reply.

    Attributes:
        thought_start: Where the thought starts.
        thought_end: Where it ends; equal to the start when there is none.
        answer_start: Where the answer starts: at the end of the text while the model thinks.
        closed: Whether the thought has ended.
    """

    thought_start: int
    thought_end: int
    answer_start: int
    closed: bool

    @property
    def has_thought(self) -> bool:
        """Whether the model thought, or is thinking."""
        return self.thought_end > self.thought_start or not self.closed


def split_thought(text: str, *, is_open: bool = False) -> Parts:
    """Tell the thought in ``text`` from the answer; ``is_open`` says that more text will follow."""
    if opening := _OPEN.match(text):
        start = opening.end()
        end = text.find("</think>", start)
        if end < 0:
            return Parts(start, len(text), len(text), closed=False)
        return Parts(start, end, _skip_space(text, end + len("</think>")), closed=True)
    if is_open and text.strip() and _TAG.startswith(text.strip()):
        return Parts(0, 0, len(text), closed=True)  # perhaps the tag: wait for the rest
    for closing in _closings(text, is_open):
        if not _is_quoted(text, closing.start()):
            answer = _skip_space(text, closing.end())
            return Parts(0, closing.start(), answer, closed=True)
    return Parts(0, 0, 0, closed=True)


def _closings(text: str, is_open: bool) -> list[re.Match[str]]:
    if "</think>" not in text:
        return []
    found = list(_CLOSE_ALONE.finditer(text))
    if not is_open and (last := _CLOSE_AT_END.search(text)):
        found.append(last)
    return found


def _is_quoted(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return text.count("```", 0, at) % 2 == 1 or line.count("`") % 2 == 1


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
