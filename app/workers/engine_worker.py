"""The one thread that owns mlx: loads, prefills, decodes and frees.

mlx streams belong to threads, so everything that touches a model runs here, for the application's
whole life. Requests come in through a queue, events go out through a signal.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QThread, Signal

from velox_core.engine.events import (
    Event,
    LoadRequest,
    LoadStopped,
    ReplyRequest,
    ReplyStopped,
    RequestFailed,
)
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.task_events import EngineRequest, RequestStopped

logger = logging.getLogger(__name__)

# Secondary threads on macOS get 512 KB, too little for a template or a deep graph.
_STACK_NBYTES = 16 * 1024 * 1024

_UNEXPECTED = "Something unexpected went wrong in the engine; the log file has the details."


class EngineLike(Protocol):
    """What the worker drives; :class:`velox_core.engine.engine.Engine` and the tests' fake.

    Made, used and closed on the worker's thread only.
    """

    def handle(self, request: EngineRequest, cancel: threading.Event) -> None:
        """Do ``request``, emitting its events; exactly one of them is terminal."""

    def apply_live_changes(self) -> None:
        """Read the mailbox while no request runs."""

    def close(self) -> None:
        """Free everything; the thread's last act."""


EmitEvent = Callable[[Event], None]
EngineFactory = Callable[[EmitEvent, Mailbox], EngineLike]


def make_engine(emit: EmitEvent, mailbox: Mailbox) -> EngineLike:
    """Build the real engine; the first import of mlx happens here, on the worker."""
    from velox_core.engine.engine import Engine

    return Engine(emit, mailbox)


class EngineWorker(QThread):
    """Runs one request after the other on an engine that it builds when it starts.

    Signals:
        event_emitted: an :class:`~velox_core.engine.events.Event`, in order. Connect bound methods
            of objects that live on the receiving thread; a lambda would run on this one.
    """

    event_emitted = Signal(object)

    def __init__(self, factory: EngineFactory = make_engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("engine")
        self.setStackSize(_STACK_NBYTES)
        self.mailbox = Mailbox()
        self._factory = factory
        self._engine: EngineLike | None = None
        self._jobs: queue.SimpleQueue[tuple[EngineRequest, threading.Event] | None] = (
            queue.SimpleQueue()
        )
        self._cancels: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._leaving = threading.Event()

    def submit(self, request: EngineRequest) -> None:
        """Queue ``request``; it runs after those before it."""
        cancel = threading.Event()
        with self._lock:
            self._cancels[request.request_id] = cancel
        self._jobs.put((request, cancel))

    def cancel(self, request_id: str) -> None:
        """Ask the request to stop; unknown and finished ones are ignored."""
        with self._lock:
            cancel = self._cancels.get(request_id)
        if cancel is not None:
            cancel.set()

    def wake(self) -> None:
        """Have an idle worker read the mailbox."""
        self._jobs.put(None)

    def leave(self) -> None:
        """Cancel everything, running and queued, and end the thread."""
        self._leaving.set()
        with self._lock:
            for cancel in self._cancels.values():
                cancel.set()
        self._jobs.put(None)

    def run(self) -> None:
        """The thread: one job after the other until :meth:`leave`."""
        try:
            while True:
                job = self._jobs.get()
                if self._leaving.is_set():
                    return
                if job is None:
                    self._apply_live_changes()
                else:
                    self._run_job(*job)
        finally:
            self._close()

    def _run_job(self, request: EngineRequest, cancel: threading.Event) -> None:
        try:
            if cancel.is_set():
                self._emit_stopped(request)
                return
            if self._engine is None:
                self._engine = self._factory(self.event_emitted.emit, self.mailbox)
            self._engine.handle(request, cancel)
        except Exception:
            logger.exception("the engine failed on %s", type(request).__name__)
            self.event_emitted.emit(RequestFailed(request.request_id, _UNEXPECTED))
        finally:
            with self._lock:
                self._cancels.pop(request.request_id, None)

    def _emit_stopped(self, request: EngineRequest) -> None:
        """Answer a request that was cancelled while it waited its turn."""
        match request:
            case LoadRequest(request_id=request_id):
                self.event_emitted.emit(LoadStopped(request_id))
            case ReplyRequest(request_id=request_id):
                self.event_emitted.emit(ReplyStopped(request_id, "", (), None))
            case _:
                self.event_emitted.emit(RequestStopped(request.request_id))

    def _apply_live_changes(self) -> None:
        if self._engine is None:
            return
        try:
            self._engine.apply_live_changes()
        except Exception:
            logger.exception("live changes failed")

    def _close(self) -> None:
        engine, self._engine = self._engine, None
        if engine is None:
            return
        try:
            engine.close()
        except Exception:
            logger.exception("closing the engine failed")
