"""A link that a person clicks is handed to the system, and only then."""

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices

from app.controllers.turns_controller import TurnsController
from app.widgets.transcript import TranscriptView


class Browser(QObject):
    """Takes the place of the system's browser."""

    opened = Signal(str)

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.emit(url.toString())


def test_clicked_link_is_opened_by_the_system(qtbot):
    view, browser = TranscriptView(), Browser()
    qtbot.addWidget(view)
    turns = TurnsController(view, None, None, None, None)
    QDesktopServices.setUrlHandler("https", browser, "open")
    try:
        with qtbot.waitSignal(browser.opened) as opened:
            view.link_activated.emit("https://example.org/a?b=c#d")
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert opened.args == ["https://example.org/a?b=c#d"]
    turns.deleteLater()
