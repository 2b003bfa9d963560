"""Finding text in the messages of a chat."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.models.message_view import MessageView


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was found: a raw range of a message."""

    message_id: str
    start: int
    end: int


_MARKUP = "[*_~`]{0,3}"


class Search:
    """All places where a text occurs, and which of them is looked at."""

    def __init__(self) -> None:
        self.text = ""
        self.places: list[Place] = []
        self.current = -1

    def run(self, text: str, messages: Sequence[MessageView]) -> None:
        """Look for ``text``, ignoring case; the place looked at stays if it is still one."""
        before = self.place
        self.text = text
        self.places = []
        if text:
            pattern = _pattern(text)
            for message in messages:
                for match in pattern.finditer(message.text):
                    self.places.append(Place(message.id, match.start(), match.end()))
        starts = [(place.message_id, place.start) for place in self.places]
        key = (before.message_id, before.start) if before else None
        self.current = starts.index(key) if key in starts else -1

    @property
    def place(self) -> Place | None:
        """The place looked at, if any."""
        return self.places[self.current] if 0 <= self.current < len(self.places) else None

    def step(self, forward: bool, from_message: int, order: dict[str, int]) -> None:
        """Go to the next or previous place, round the ends.

        Args:
            forward: Which way.
            from_message: Where to begin when no place is looked at yet: a message's number.
            order: Numbers of the messages.
        """
        if not self.places:
            self.current = -1
        elif self.current >= 0:
            self.current = (self.current + (1 if forward else -1)) % len(self.places)
        elif forward:
            later = (i for i, p in enumerate(self.places) if order[p.message_id] >= from_message)
            self.current = next(later, 0)
        else:
            earlier = [i for i, p in enumerate(self.places) if order[p.message_id] <= from_message]
            self.current = earlier[-1] if earlier else len(self.places) - 1


def _pattern(text: str) -> re.Pattern[str]:
    """Return what to look for: between words, any white space, and markup that is not shown."""
    words = [re.escape(word) for word in text.split()]
    pattern = f"{_MARKUP}\\s+{_MARKUP}".join(words) if words else re.escape(text)
    return re.compile(pattern, re.IGNORECASE)
