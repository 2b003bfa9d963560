"""The text of one reply, from its tokens."""

from collections.abc import Sequence
from typing import Any


class ReplyText:
    """Turns tokens into text that may be shown, and watches for stop strings.

    Characters that are split over several tokens appear once they are whole. Text that may be the
    beginning of a stop string is held back until that is decided.
    """

    def __init__(
        self,
        detokenizer: Any,
        stop: Sequence[str] = (),
        continued: Sequence[int] = (),
        prefix: str = "",
    ) -> None:
        """Begin a reply.

        Args:
            detokenizer: A fresh streaming detokenizer of mlx-lm.
            stop: Strings that end the reply; they are not part of it.
            continued: Token ids of the reply that is continued; its text is not given out again,
                but it counts for spaces and split characters.
            prefix: What the reply begins with although no token says so; given out with the first
                text of a new reply.
        """
        self._prefix = prefix
        self._prefix_due = not continued
        self._detokenizer = detokenizer
        self._stop = tuple(text for text in stop if text)
        for token_id in continued:
            detokenizer.add_token(token_id)
        self._given = self._begin = len(detokenizer.text)
        self._cut: int | None = None

    @property
    def text(self) -> str:
        """The whole reply so far, a continued one from its beginning; stop string excluded."""
        return self._prefix + self._detokenizer.text[: self._cut]

    @property
    def stopped(self) -> bool:
        """Whether a stop string was met."""
        return self._cut is not None

    def add(self, token_id: int) -> str:
        """Take in one token; returns the text that became visible."""
        self._detokenizer.add_token(token_id)
        return self._take(final=False)

    def finish(self) -> str:
        """The text that was still held back; call it once, at the end."""
        self._detokenizer.finalize()
        return self._take(final=True)

    def _take(self, *, final: bool) -> str:
        text = self._detokenizer.text
        if self._cut is None and self._stop:
            longest = max(map(len, self._stop))
            search_from = max(self._given - longest + 1, self._begin)
            hits = [at for stop in self._stop if (at := text.find(stop, search_from)) >= 0]
            if hits:
                self._cut = min(hits)
        text = text[: self._cut]
        end = len(text) if final or self.stopped else len(text) - self._n_undecided(text)
        visible = text[self._given : end]
        self._given = max(self._given, end)
        if self._prefix_due:
            visible, self._prefix_due = self._prefix + visible, False
        return visible

    def _n_undecided(self, text: str) -> int:
        """How many characters at the end may be the beginning of a stop string."""
        longest = 0
        for stop in self._stop:
            for size in range(min(len(stop) - 1, len(text) - self._begin), longest, -1):
                if text.endswith(stop[:size]):
                    longest = size
                    break
        return longest
