"""Live changes on their way to a busy engine.

The engine's thread is inside a decode loop for seconds or minutes and runs no event loop, so a
queued slot would wait until the reply ends. It reads this mailbox between two tokens instead.
"""

import threading

from velox_core.engine.events import CacheSettings


class Mailbox:
    """Thread-safe letters by chat; the latest of a kind replaces an unread one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache: dict[str, CacheSettings] = {}
        self._pins: dict[str, frozenset[str]] = {}
        self._watched_chat: str | None = None

    def post_cache(self, chat_id: str, settings: CacheSettings) -> None:
        """Leave new cache settings of a chat for the engine; any thread may call this."""
        with self._lock:
            self._cache[chat_id] = settings

    def take_cache(self, chat_id: str) -> CacheSettings | None:
        """Take a chat's newest cache settings out, or None when nothing changed."""
        with self._lock:
            return self._cache.pop(chat_id, None)

    def post_pins(self, chat_id: str, message_ids: frozenset[str]) -> None:
        """Leave the names of all pinned messages of a chat; any thread may call this."""
        with self._lock:
            self._pins[chat_id] = message_ids

    def take_pins(self, chat_id: str) -> frozenset[str] | None:
        """Take a chat's newest pins out, or None when nothing changed."""
        with self._lock:
            return self._pins.pop(chat_id, None)

    def chats(self) -> tuple[str, ...]:
        """The chats that have unread letters."""
        with self._lock:
            return tuple(dict.fromkeys((*self._cache, *self._pins)))

    def watch(self, chat_id: str | None) -> None:
        """Say of which chat the remembered shares are wanted from now on; None for none."""
        with self._lock:
            self._watched_chat = chat_id

    @property
    def watched_chat(self) -> str | None:
        """The chat whose remembered shares are wanted."""
        with self._lock:
            return self._watched_chat

    def clear(self, chat_id: str) -> None:
        """Throw a chat's unread letters away: a newer request carries its own settings."""
        with self._lock:
            self._cache.pop(chat_id, None)
            self._pins.pop(chat_id, None)
