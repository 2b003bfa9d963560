"""Live changes: what a mailbox holds for a chat, applied to its conversation."""

from collections.abc import Callable
from dataclasses import dataclass

from velox_core.engine.conversation import Conversation
from velox_core.engine.events import CacheSettings, Event
from velox_core.engine.live_events import CacheRefused, PinsRefused
from velox_core.engine.mailbox import Mailbox
from velox_core.errors import VeloxError


@dataclass(frozen=True, slots=True)
class LiveChanges:
    """Takes letters over. What does not fit is refused and changes nothing.

    Attributes:
        mailbox: Where the letters are.
        emit: Takes the events that tell about refusals.
    """

    mailbox: Mailbox
    emit: Callable[[Event], None]

    def apply(self, request_id: str, chat_id: str, conversation: Conversation) -> bool:
        """Apply a chat's letters; returns whether anything changed.

        From bounded to full or back is a rebuild: it waits for the next request, which carries the
        choice again.
        """
        settings = self.mailbox.take_cache(chat_id)
        if settings is not None and settings.bounded != conversation.settings.bounded:
            settings = None
        names = self.mailbox.take_pins(chat_id)
        if settings is None and names is None:
            # As between nearly all tokens.
            return False
        pins = None if names is None else conversation.messages.positions(names)
        before = (conversation.settings, conversation.protected)
        if _refusal(conversation, settings, pins):
            # One alone may be right, so each is tried.
            if settings is not None and (why := _refusal(conversation, settings, None)):
                self.emit(CacheRefused(request_id, chat_id, why, conversation.settings))
            if pins is not None and (why := _refusal(conversation, None, pins)):
                self.emit(PinsRefused(request_id, chat_id, why))
        return before != (conversation.settings, conversation.protected)


def _refusal(
    conversation: Conversation, settings: CacheSettings | None, pins: frozenset[int] | None
) -> str:
    """Apply what is given; returns why it does not fit, or an empty string."""
    try:
        conversation.apply(
            settings or conversation.settings,
            conversation.protected if pins is None else pins,
        )
    except VeloxError as error:
        return str(error)
    return ""
