"""How much of a message the cache still holds, word by word."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was measured for one message; the sequences are equally long, one item a token.

    Attributes:
        positions: Each token's place in the conversation.
        starts: Index of its first character in the message.
        ends: Index behind its last one.
        shares: The part of the cache that still holds it, 0..1.
    """

    positions: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    shares: Sequence[float]

    @property
    def share(self) -> float | None:
        """The mean over the message's tokens; None without any."""
        return sum(self.shares) / len(self.shares) if self.shares else None

    def words(self, text: str) -> list[tuple[int, int, float]]:
        """The words of ``text`` as (start, end, share): the mean over each word's tokens.

        Words whose tokens have not been measured yet are left out.
        """
        found = []
        for word in _WORD.finditer(text):
            tokens = self._tokens(word.start(), word.end())
            if tokens:
                share = sum(self.shares[token] for token in tokens) / len(tokens)
                found.append((word.start(), word.end(), share))
        return found

    def token_at(self, offset: int) -> int | None:
        """Which of the message's tokens, counted from 0, stands at a character."""
        tokens = self._tokens(offset, offset + 1)
        return tokens[0] if tokens else None

    def _tokens(self, start: int, end: int) -> range:
        """The tokens that share a character with ``start`` to ``end``."""
        first = bisect_right(self.ends, start)
        last = first
        while last < len(self.starts) and self.starts[last] < end:
            last += 1
        return range(first, last)
