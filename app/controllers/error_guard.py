"""What nobody expected: it goes to the log, and the person reads one plain sentence."""

import logging
import sys
import threading
from types import TracebackType

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

logger = logging.getLogger(__name__)
_qt_logger = logging.getLogger("qt")

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class ErrorGuard(QObject):
    """Takes over the hooks of Python and Qt until :meth:`release`.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)
    _caught = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hooks = sys.excepthook, threading.excepthook
        self._caught.connect(self._on_caught, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        self._qt_handler = qInstallMessageHandler(_log_qt_message)

    def release(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._hooks
        qInstallMessageHandler(self._qt_handler)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        logger.critical("uncaught", exc_info=(kind, error, trace))
        self._caught.emit()

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            logger.critical(
                "uncaught in a thread",
                exc_info=(args.exc_type, args.exc_value, args.exc_traceback),
            )
            self._caught.emit()

    def _on_caught(self) -> None:
        self.problem.emit(self.tr("Something unexpected went wrong; the log file has the details."))


def _log_qt_message(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    _qt_logger.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
