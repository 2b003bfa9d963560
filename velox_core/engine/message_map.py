"""Where the messages of a conversation lie in its tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from velox_core.engine.events import MessageMemory, Turn
from velox_core.engine.prompt_builder import Span


@dataclass(frozen=True, slots=True)
class _Place:
    """A message's tokens: their positions and the characters each stands for."""

    positions: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class MessageMap:
    """Message names and their token positions, in order."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}
        self.system_prompt = ""

    def replace(self, turns: Sequence[Turn], spans: Iterable[Span]) -> None:
        """Take over a new prompt. Messages without a name are called by their number."""
        self._places = {}
        self.system_prompt = next((turn.content for turn in turns if turn.role == "system"), "")
        for span in spans:
            self._add(name_of(turns, span.turn), span)

    def set_reply(self, message_id: str, span: Span) -> None:
        """Note the reply that follows the prompt, whole."""
        self._places.pop(message_id, None)
        self._add(message_id, span)

    def positions(self, message_ids: Iterable[str]) -> frozenset[int]:
        """All token positions of these messages; unknown names have none."""
        known = (self._places[name] for name in message_ids if name in self._places)
        return frozenset(position for place in known for position in place.positions)

    def measure(self, shares: Sequence[float]) -> tuple[MessageMemory, ...]:
        """What is left of each message.

        Args:
            shares: Per token seen, the part of the cache that holds it.
        """
        return tuple(
            MessageMemory(
                name,
                place.positions[: _n_below(place.positions, len(shares))],
                place.starts[: _n_below(place.positions, len(shares))],
                place.ends[: _n_below(place.positions, len(shares))],
                tuple(shares[p] for p in place.positions if p < len(shares)),
            )
            for name, place in self._places.items()
        )

    def _add(self, name: str, span: Span) -> None:
        before = self._places.get(name, _Place((), (), ()))
        self._places[name] = _Place(
            before.positions + tuple(range(span.start, span.end)),
            before.starts + span.starts,
            before.ends + span.ends,
        )


def name_of(turns: Sequence[Turn], index: int) -> str:
    """The name of a turn's message, or its number."""
    return (turns[index].message_id if index < len(turns) else "") or f"#{index}"


def pinned_names(turns: Sequence[Turn]) -> frozenset[str]:
    """The names of all pinned messages."""
    return frozenset(name_of(turns, n) for n, turn in enumerate(turns) if turn.pinned)


def _n_below(positions: tuple[int, ...], limit: int) -> int:
    """How many of the ascending positions are below ``limit``."""
    if not positions or positions[-1] < limit:
        return len(positions)
    return sum(position < limit for position in positions)
