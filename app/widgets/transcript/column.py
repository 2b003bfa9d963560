"""Where the messages are in a column of which only a window is drawn."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.models.message_view import MessageView
from app.widgets.transcript.message_widget import MessageWidget
from app.widgets.transcript.shades import Shade


@dataclass(slots=True, eq=False)
class Item:
    """A message of the column, drawn or not.

    Attributes:
        message: What it shows.
        widget: What draws it, while it is near the window.
        height: Measured or estimated, in pixels.
        measured: Whether the height is measured.
        divider: Text of the line under it, or "".
        status: Text in place of the reply that has not begun, or "".
        shades: What is shaded in it.
        streaming: Whether its text grows.
        thought_began: When its thought began, in ``time.monotonic`` seconds.
        thought_s: How long the thought took, once it is over.
    """

    message: MessageView
    widget: MessageWidget | None = None
    height: int = 0
    measured: bool = False
    divider: str = ""
    status: str = ""
    shades: Sequence[Shade] = ()
    streaming: bool = False
    thought_began: float | None = None
    thought_s: float | None = None


@dataclass(slots=True)
class Column:
    """Heights and places of all items; positions are pixels from the top of the column.

    The place of the window is kept as an anchor, an item and how far its top lies above the
    window's, so that a height that changes elsewhere moves nothing on screen.
    """

    items: list[Item] = field(default_factory=list)
    padding_top: int = 0
    padding_bottom: int = 0
    anchor: Item | None = None
    anchor_offset: int = 0
    _tops: list[int] = field(default_factory=list)

    def place(self) -> int:
        """Compute where every item begins; return the height of the column."""
        self._tops = []
        y = self.padding_top
        for item in self.items:
            self._tops.append(y)
            y += item.height
        return y + self.padding_bottom

    def top(self, item: Item) -> int:
        """Return where ``item`` begins, as of the last :meth:`place`."""
        return self._tops[self.items.index(item)]

    def set_anchor(self, position: int, height: int) -> None:
        """Keep what is in the window that begins at ``position`` where it is now.

        An item that is drawn holds the others: the height of one above it is only estimated, and
        what a reader has before the eyes must not move when it is measured.
        """
        if not self.items:
            self.anchor = None
            return
        seen = [item for item, _ in self.between(position, position + height)]
        drawn = [item for item in seen if item.widget]
        whole = [item for item in drawn if item.widget and not item.widget.busy]
        index = max(0, bisect_right(self._tops, position) - 1)
        self.anchor = [*whole, *drawn, self.items[index]][0]
        self.anchor_offset = position - self.top(self.anchor)

    def keep_anchor(self, position: int, height: int) -> None:
        """The window begins at ``position`` now; the anchor stays while it is in the window."""
        if any(item is self.anchor for item, _ in self.between(position, position + height)):
            self.anchor_offset = position - self.top(self.anchor)  # type: ignore[arg-type]
        else:
            self.set_anchor(position, height)

    def anchored_position(self) -> int:
        """Return where the top of the window has to be."""
        if self.anchor is None or self.anchor not in self.items:
            return 0
        return self.top(self.anchor) + self.anchor_offset

    def between(self, top: int, bottom: int) -> Iterator[tuple[Item, int]]:
        """Yield (item, where it begins) for the items between two positions."""
        index = max(0, bisect_right(self._tops, top) - 1)
        while index < len(self.items) and self._tops[index] < bottom:
            if self._tops[index] + self.items[index].height > top:
                yield self.items[index], self._tops[index]
            index += 1


def estimated_height(message: MessageView, width: int, line_height: int) -> int:
    """Guess the height of a message that was never drawn."""
    is_user = message.role == "user"
    characters = max(10, round(width * (0.65 if is_user else 1.0) / (line_height * 0.36)))
    breaks = message.text.count("\n")
    lines = math.ceil(len(message.text) / characters) + breaks * 0.6
    return round((max(1, lines) + (2 if is_user else 2.5)) * line_height)
