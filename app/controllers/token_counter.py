"""Counts the tokens of a text with the loaded model's own tokenizer, off the GUI thread."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.controllers.future_bridge import FutureBridge

logger = logging.getLogger(__name__)

# English text in the usual vocabularies; only for models whose tokenizer cannot be read.
_CHARS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` has."""
    return -(-len(text) // _CHARS_PER_TOKEN)


class TokenCounter(QObject):
    """Reads a model's ``tokenizer.json`` when the model is loaded.

    Signals:
        changed: texts counted before have other numbers now.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = FutureBridge(self)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="velox-tokens")
        self._tokenizer: Any = None
        self._path = ""

    def set_model(self, path: str) -> None:
        """Count for the model in folder ``path``; empty for none."""
        if path == self._path:
            return
        self._path, self._tokenizer = path, None
        if path:
            self._bridge.watch(self._pool.submit(_read, Path(path)), self._take(path))
        else:
            self.changed.emit()

    def count(self, text: str, then: Callable[[int, bool], None]) -> None:
        """Call ``then(n_tokens, exact)`` later; ``exact`` is False for an estimate."""
        tokenizer = self._tokenizer
        if tokenizer is None:
            then(estimate_tokens(text), False)
            return
        future: Future[int] = self._pool.submit(_count, tokenizer, text)
        self._bridge.watch(
            future,
            lambda n_tokens: then(n_tokens, True),
            lambda _sentence: then(estimate_tokens(text), False),
        )

    def close(self) -> None:
        """Count nothing more; the application ends."""
        self._bridge.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _take(self, path: str) -> Callable[[Any], None]:
        def take(tokenizer: Any) -> None:
            if path == self._path:
                self._tokenizer = tokenizer
                self.changed.emit()

        return take


def _read(folder: Path) -> Any:
    """The tokenizer, or None when there is none of the usual kind."""
    file = folder / "tokenizer.json"
    if not file.is_file():
        return None
    # Heavy to import, and only needed once a model is there.
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises no class of its own
        logger.info("no token counts for %s: %s", folder.name, error)
        return None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _count(tokenizer: Any, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)
