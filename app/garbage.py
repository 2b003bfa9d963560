"""Garbage collection on the GUI thread only.

Python collects cycles on whichever thread happens to allocate. With an engine and a store that
work beside the window, that could destroy Qt objects on a thread that they do not belong to, which
ends in a crash some time later.
"""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

_INTERVAL_MS = 2_000


class GuiGarbageCollector(QObject):
    """Takes over from Python's automatic collection while it lives; made on the GUI thread.

    Reference counting goes on everywhere as before; only cycles wait for the next round.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start(_INTERVAL_MS)

    def close(self) -> None:
        """Give collection back to Python."""
        self._timer.stop()
        gc.enable()

    @Slot()
    def _on_timeout(self) -> None:
        # As Python would: the oldest generation whose count is over its threshold.
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return
