"""The one thread that touches the chat database."""

import heapq
import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from app.storage.errors import StorageError

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class StorageThread:
    """Runs jobs one after the other, in the order they were handed in.

    A plain thread without Qt; a controller that wants a result on the GUI thread passes it on from
    the future's callback through a signal.
    """

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[float, Callable[[], None]] | None] = queue.SimpleQueue()
        self._order = itertools.count()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="velox-storage", daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Run ``fn`` on the storage thread.

        Returns:
            Its future; an exception of ``fn`` is logged and kept in it.

        Raises:
            StorageError: The thread was closed.
        """
        return self.submit_after(0.0, fn, *args, **kwargs)

    def submit_after(
        self, delay_s: float, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Run ``fn`` once ``delay_s`` seconds have passed, or when the thread closes."""
        future: Future[T] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                # An expected refusal is the caller's to show; anything else needs its trace.
                logger.warning("Storage job failed: %s", error, exc_info=not _is_expected(error))
                future.set_exception(error)

        with self._lock:
            if self._closed:
                raise StorageError("Velox is closing and saves nothing more.")
            self._jobs.put((time.monotonic() + delay_s if delay_s > 0 else 0.0, job))
        return future

    def close(self, timeout_s: float = 10.0) -> bool:
        """Do what was handed in, then end.

        Returns:
            Whether the thread ended within ``timeout_s`` seconds.
        """
        with self._lock:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        delayed: list[tuple[float, int, Callable[[], None]]] = []
        open_ = True
        while open_:
            try:
                wait_s = max(0.0, delayed[0][0] - time.monotonic()) if delayed else None
                item = self._jobs.get(timeout=wait_s)
            except queue.Empty:
                heapq.heappop(delayed)[2]()
                continue
            if item is None:
                open_ = False
            elif item[0]:
                heapq.heappush(delayed, (item[0], next(self._order), item[1]))
            else:
                item[1]()
        while delayed:
            heapq.heappop(delayed)[2]()


def _is_expected(error: Any) -> bool:
    return isinstance(error, StorageError)
