"""The process's memory in the panel: measured from the start on, not only while a reply is made."""

from PySide6.QtCore import QObject, QTimer, Slot

from app.controllers.memory_controller import MemoryController
from app.controllers.model_controller import ModelController
from app.widgets.memory_panel import MemoryPanel
from velox_core.process_memory import process_nbytes

_INTERVAL_MS = 2_000


class ProcessMemory(QObject):
    """Measures every two seconds while the panel is seen, and whenever a model came or went."""

    def __init__(
        self,
        panel: MemoryPanel,
        memory: MemoryController,
        models: ModelController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._memory = memory
        models.state_changed.connect(self._measure)
        timer = QTimer(self)
        timer.setInterval(_INTERVAL_MS)
        timer.timeout.connect(self._on_interval)
        timer.start()
        self._measure()

    @Slot()
    def _measure(self) -> None:
        self._memory.show_process(process_nbytes())

    @Slot()
    def _on_interval(self) -> None:
        if self._panel.isVisible() and not self._panel.window().isMinimized():
            self._measure()
