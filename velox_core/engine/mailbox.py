"""Live changes on their way to a busy engine.

The engine's thread is inside a decode loop for seconds or minutes and runs no event loop, so a
queued slot would wait until the reply ends. It reads this mailbox between two tokens instead.
"""

import threading

from velox_core.engine.events import CacheSettings


class Mailbox:
    """Thread-safe; the latest letter of a kind replaces an unread one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache: CacheSettings | None = None
        self._pins: tuple[str, frozenset[str]] | None = None
        self._watched_chat: str | None = None

    def post_cache(self, settings: CacheSettings) -> None:
        """Leave new cache settings for the engine; any thread may call this."""
        with self._lock:
            self._cache = settings

    def take_cache(self) -> CacheSettings | None:
        """Take the newest cache settings out, or None when nothing changed."""
        with self._lock:
            settings, self._cache = self._cache, None
        return settings

    def post_pins(self, chat_id: str, message_ids: frozenset[str]) -> None:
        """Leave the names of all pinned messages of a chat; any thread may call this."""
        with self._lock:
            self._pins = (chat_id, message_ids)

    def take_pins(self) -> tuple[str, frozenset[str]] | None:
        """Take the newest pins out, chat and messages, or None when nothing changed."""
        with self._lock:
            pins, self._pins = self._pins, None
        return pins

    def watch(self, chat_id: str | None) -> None:
        """Say of which chat the remembered shares are wanted from now on; None for none."""
        with self._lock:
            self._watched_chat = chat_id

    @property
    def watched_chat(self) -> str | None:
        """The chat whose remembered shares are wanted."""
        with self._lock:
            return self._watched_chat

    def clear(self) -> None:
        """Throw unread letters away, because a newer request carries its own settings."""
        with self._lock:
            self._cache = self._pins = None
