"""What the transcript is fed with: one message, ready to be shown."""

from dataclasses import dataclass
from typing import Literal

MessageRole = Literal["system", "user", "assistant"]
MessageState = Literal["waiting", "streaming", "done", "stopped", "cut", "failed"]


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message as a person sees it.

    Attributes:
        id: The name that every signal of the transcript carries.
        role: Who speaks.
        text: The raw text, Markdown as the model wrote it. It is what gets copied.
        state: ``waiting`` before the first token, ``streaming`` after it; then ``done``,
            ``stopped`` (by the person), ``cut`` (by the token limit) or ``failed``.
        stats: The parts of the line under a reply, worded: ``("34.2 tok/s", …)``.
        stats_detail: More figures, shown when the pointer rests on that line.
        version: Which version this is, counted from 1.
        version_count: How many versions there are; the switch shows from two on.
        pinned: Whether the cache protects its rows.
        can_pin: Whether a pin is offered at all.
        remembered: Share of the cache that still holds it, 0..1; None when unknown.
        thought_s: Seconds that the thinking part took; None when unknown.
        error: One plain sentence, shown under the text.
    """

    id: str
    role: MessageRole
    text: str = ""
    state: MessageState = "done"
    stats: tuple[str, ...] = ()
    stats_detail: str = ""
    version: int = 1
    version_count: int = 1
    pinned: bool = False
    can_pin: bool = True
    remembered: float | None = None
    thought_s: float | None = None
    error: str = ""

    @property
    def busy(self) -> bool:
        """Whether its reply is still being made."""
        return self.state in ("waiting", "streaming")
