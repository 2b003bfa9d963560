"""Drives the real engine in the test's own thread and collects its events."""

import threading
from collections.abc import Callable
from typing import Any

from velox_core.engine.engine import Engine
from velox_core.engine.events import (
    CacheSettings,
    Event,
    LoadRequest,
    ReplyRequest,
    SamplingParams,
    TerminalEvent,
    Turn,
)
from velox_core.engine.mailbox import Mailbox

GREEDY = SamplingParams(temperature=0, max_tokens=12)
FULL = CacheSettings(bounded=False)


class EngineRunner:
    """An engine, the events it emitted and short ways to ask it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.mailbox = Mailbox()
        self.cancel = threading.Event()
        self.on_event: Callable[[Event], None] = lambda event: None
        self.engine = Engine(self._take, self.mailbox)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        self.on_event(event)

    def run(self, request: Any) -> Any:
        """Handle ``request``; returns its terminal event after checking that it is the only one."""
        self.events.clear()
        self.engine.handle(request, self.cancel)
        self.cancel.clear()
        terminal = [event for event in self.events if isinstance(event, TerminalEvent)]
        assert terminal == self.events[-1:]
        assert {event.request_id for event in self.events} == {request.request_id}
        return terminal[0]

    def load(self, path: Any) -> Any:
        return self.run(LoadRequest("load", str(path)))

    def reply(
        self,
        *turns: Turn,
        chat: str = "chat",
        sampling: SamplingParams = GREEDY,
        cache: CacheSettings = FULL,
    ) -> Any:
        return self.run(ReplyRequest("reply", chat, turns, sampling, cache))

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def user(text: str) -> Turn:
    return Turn("user", text)


def said(event: Any) -> Turn:
    """The reply in ``event`` as a turn."""
    return Turn("assistant", event.text, event.token_ids)
