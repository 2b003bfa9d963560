"""Events about live changes that do not fit: nothing was changed by them.

They belong to the contract in :mod:`velox_core.engine.events`. Their request is the one that runs;
its id is empty when none does.
"""

from dataclasses import dataclass

from velox_core.engine.events import CacheSettings, Event


@dataclass(frozen=True, slots=True)
class CacheRefused(Event):
    """Budget and sinks of chat ``chat_id`` stay as in ``cache``; ``message`` says why."""

    chat_id: str
    message: str
    cache: CacheSettings


@dataclass(frozen=True, slots=True)
class PinsRefused(Event):
    """The pins of chat ``chat_id`` stay as they were; ``message`` says why."""

    chat_id: str
    message: str
