"""Shows where newer versions are published, when a person asks for it."""

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from app.release import releases_page


class UpdateController(QObject):
    """Hands the releases page to the browser. Velox itself never asks the network.

    Signals:
        told: one plain sentence instead, because there is no page to open.
        problem: one plain sentence to show.
    """

    told = Signal(str)
    problem = Signal(str)

    @Slot()
    def check(self) -> None:
        """Open the releases page, or say that this build does not know it."""
        page = releases_page()
        if not page:
            self.told.emit(
                self.tr(
                    "This build does not know where its releases are published; "
                    "look where you got it."
                )
            )
        elif not QDesktopServices.openUrl(QUrl(page)):
            self.problem.emit(
                self.tr("No browser could be opened; the releases are at {page}.").format(page=page)
            )
