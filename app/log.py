"""Where details go: a log file. People get plain sentences, never a traceback."""

import logging
import logging.handlers
import sys
import threading
from types import TracebackType

from velox_core import paths

logger = logging.getLogger(__name__)

_MAX_NBYTES = 1_000_000
_N_OLD_FILES = 3
_FORMAT = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"


def set_up_logging(level: int = logging.INFO) -> None:
    """Send everything that is logged or raised unexpectedly to ``velox.log`` in the log folder.

    Nothing goes to the terminal. Where the folder cannot be written, nothing is kept.
    """
    root = logging.getLogger()
    root.setLevel(level)
    root.handlers = [_make_handler()]
    logging.captureWarnings(True)
    # Logs each request with its address, tokens in it included.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_in_thread


def _make_handler() -> logging.Handler:
    folder = paths.log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.handlers.RotatingFileHandler(
            folder / "velox.log",
            maxBytes=_MAX_NBYTES,
            backupCount=_N_OLD_FILES,
            encoding="utf-8",
            delay=False,
        )
    except OSError:
        return logging.NullHandler()
    handler.setFormatter(logging.Formatter(_FORMAT))
    return handler


def _log_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    logger.critical("uncaught", exc_info=(kind, error, traceback))


def _log_uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        logger.critical(
            "uncaught in a thread", exc_info=(args.exc_type, args.exc_value, args.exc_traceback)
        )
