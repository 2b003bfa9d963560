"""Opens the help page."""

import logging
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.widgets.help_window import HelpWindow

logger = logging.getLogger(__name__)


class HelpController(QObject):
    """Reads the page when it is first asked for.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

    def __init__(self, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._file = file
        self.window: HelpWindow | None = None

    @Slot()
    def open(self) -> None:
        """Show the help page, in front of the other windows."""
        if self.window is None:
            try:
                text = self._file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                logger.exception("the help page cannot be read")
                self.problem.emit(self.tr("The help page is missing; install Velox again."))
                return
            self.window = HelpWindow(text)
        self.window.bring_to_front()

    def close(self) -> None:
        """Take the window away; the application ends."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
