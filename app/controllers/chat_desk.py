"""The chat store as the controllers use it: jobs go to its thread, results come back here."""

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.controllers.future_bridge import FutureBridge
from app.storage.errors import StorageError
from app.storage.reply_saver import ReplySaver
from app.storage.store import ChatStore
from app.storage.thread import StorageThread

T = TypeVar("T")


class ChatDesk(QObject):
    """Runs jobs on the storage thread, in the order in which they were asked for.

    Signals:
        degraded_changed: why chats are kept in memory only, or empty when they are saved again.
        failed: one plain sentence for a failure that no caller took.
    """

    degraded_changed = Signal(str)
    failed = Signal(str)
    _degraded = Signal(str)

    def __init__(
        self, store: ChatStore, thread: StorageThread, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._thread = thread
        self._bridge = FutureBridge(self)
        self._bridge.failed.connect(self.failed)
        self._degraded.connect(self.degraded_changed, Qt.ConnectionType.QueuedConnection)
        store.on_degraded(self._degraded.emit)

    def run(
        self,
        job: Callable[[ChatStore], T],
        then: Callable[[T], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Run ``job(store)`` on the storage thread, then ``then(result)`` on this one.

        Args:
            job: Must touch nothing but the store and values that do not change.
            then: What follows; left out when nothing does.
            failed: Takes the sentence when the job fails; by default the signal does.
        """
        try:
            future = self._thread.submit(job, self._store)
        except StorageError as error:
            (failed or self.failed.emit)(str(error))
            return
        self._bridge.watch(future, then, failed)

    def reply_saver(self, message_id: str) -> ReplySaver:
        """Something that keeps the stored text of a streaming reply up to date."""
        return ReplySaver(self._store, self._thread, message_id)

    def close(self, timeout_s: float) -> bool:
        """Finish every job, close the store and end the thread; no ``then`` is called any more.

        Returns:
            Whether all was written within ``timeout_s`` seconds.
        """
        self._bridge.close()
        try:
            self._thread.submit(ChatStore.close, self._store)
        except StorageError:
            return True
        return self._thread.close(timeout_s)
