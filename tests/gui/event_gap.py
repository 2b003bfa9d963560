"""Measuring how long the event loop was held up."""

import gc
import time

from PySide6.QtCore import QTimer


class EventGap:
    """A timer that should fire every few milliseconds, and the longest time that it did not.

    Counted is the time that this thread worked: on a machine that does other things too, the clock
    on the wall also counts how long others had the processor. Objects that the test process made
    before are kept from the garbage collector: walking over them is not the window's work.
    """

    def __init__(self, interval_ms: int = 2) -> None:
        self.longest_s = 0.0
        self._last = 0.0
        self._timer = QTimer()
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self._on_timeout)

    def __enter__(self) -> "EventGap":
        gc.collect()
        gc.freeze()
        self._last = time.thread_time()
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._on_timeout()
        self._timer.stop()
        gc.unfreeze()

    def _on_timeout(self) -> None:
        now = time.thread_time()
        self.longest_s = max(self.longest_s, now - self._last)
        self._last = now
