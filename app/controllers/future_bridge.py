"""Results of other threads' work, handed back on the GUI thread."""

import logging
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from velox_core.errors import VeloxError

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Outcome:
    future: Future[Any]
    then: Callable[[Any], None] | None
    failed: Callable[[str], None] | None


class FutureBridge(QObject):
    """Watches futures of worker threads; what follows runs on the thread of this object.

    Signals:
        failed: one plain sentence for a failure that nobody else took.
    """

    failed = Signal(str)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closed = False
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def watch(
        self,
        future: "Future[T]",
        then: Callable[[T], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Call ``then(result)`` or ``failed(sentence)`` on this thread when ``future`` ends."""
        future.add_done_callback(lambda done: self._pass_on(_Outcome(done, then, failed)))

    def close(self) -> None:
        """Drop what still comes in; the application is about to end."""
        self._closed = True

    def _pass_on(self, outcome: _Outcome) -> None:
        """Runs on the worker's thread."""
        if not self._closed:
            self._ended.emit(outcome)

    @Slot(object)
    def _on_ended(self, outcome: _Outcome) -> None:
        if self._closed:
            return
        try:
            result = outcome.future.result()
        except CancelledError:
            return
        except Exception as error:
            self._report(error, outcome.failed)
            return
        if outcome.then is not None:
            outcome.then(result)

    def _report(self, error: Exception, failed: Callable[[str], None] | None) -> None:
        if not isinstance(error, VeloxError):
            logger.error("a job failed", exc_info=error)
        sentence = (
            str(error)
            if isinstance(error, VeloxError)
            else self.tr("Something unexpected went wrong; the log file has the details.")
        )
        (failed or self.failed.emit)(sentence)
