"""A Qt application without a window, for the command line."""

import io
import logging
import os
import signal
import sys
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QTimer

from app.workers.engine_client import EngineClient

logger = logging.getLogger(__name__)

# Qt's loop runs no Python of its own; without this, Ctrl-C would wait for the next event.
_SIGNAL_POLL_MS = 100
_SHUTDOWN_S = 2.0


def make_application() -> QCoreApplication:
    """The process's application object.

    An exception in a slot is logged and ends it with status 1; Qt alone would wait for ever.
    """
    sys.excepthook = _give_up
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not every terminal can show every reply.
        sys.stdout.reconfigure(errors="replace")
    return QCoreApplication.instance() or QCoreApplication(["velox"])


def call_on_interrupt(callback: Callable[[], None]) -> QTimer:
    """Have Ctrl-C and a polite kill call ``callback`` soon; keep the returned timer alive.

    Not from within the signal: it comes between any two steps of Python, which may hold a lock that
    the callback needs.
    """
    arrived = False

    def on_signal(_number: int, _frame: object) -> None:
        nonlocal arrived
        arrived = True

    def on_timeout() -> None:
        nonlocal arrived
        if arrived:
            arrived = False
            callback()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)
    timer = QTimer()
    timer.timeout.connect(on_timeout)
    timer.start(_SIGNAL_POLL_MS)
    return timer


def leave(client: EngineClient, status: int) -> int:
    """End the engine and give ``status`` back; when the engine hangs, end the process here."""
    if client.shutdown(_SHUTDOWN_S):
        return status
    # On a busy machine a long import or computation cannot be waited for.
    sys.stdout.flush()
    os._exit(status)


def _give_up(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    logger.critical("uncaught", exc_info=(kind, error, traceback))
    sys.stderr.write("Something unexpected went wrong; the log file has the details.\n")
    QCoreApplication.exit(1)
