"""Saving a reply while it streams, often enough and not too often."""

import threading
from collections.abc import Sequence

from app.storage.store import ChatStore
from app.storage.thread import StorageThread

SAVE_EVERY_S = 1.0


class ReplySaver:
    """Keeps the stored text of one streaming reply at most a second behind.

    ``update`` may be called for every piece of text: it only remembers the newest. Whatever the
    model does next, it is saved a second later.
    """

    def __init__(self, store: ChatStore, thread: StorageThread, message_id: str) -> None:
        self._store = store
        self._thread = thread
        self._message_id = message_id
        self._lock = threading.Lock()
        self._latest: tuple[str, Sequence[int]] = ("", ())
        self._scheduled = False
        self._ended = False

    def update(self, text: str, token_ids: Sequence[int] = ()) -> None:
        """The whole text so far, and its token ids if known."""
        with self._lock:
            self._latest = (text, token_ids)
            if self._scheduled or self._ended:
                return
            self._scheduled = True
        self._thread.submit_after(SAVE_EVERY_S, self._save)

    def end(self) -> None:
        """Save nothing more; call it before ``ChatStore.finish_message`` is submitted."""
        with self._lock:
            self._ended = True

    def _save(self) -> None:
        with self._lock:
            self._scheduled = False
            if self._ended:
                return
            text, token_ids = self._latest
        self._store.save_partial(self._message_id, text, token_ids)
