"""The window: started, and ended at any moment."""

import logging
import os
import sys

from PySide6.QtCore import QEvent, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.console import call_on_interrupt
from app.garbage import GuiGarbageCollector
from app.log import set_up_logging
from app.parts import Parts
from app.single_instance import SingleInstance
from app.widgets import theme
from app.workers.engine_worker import EngineFactory, make_engine
from velox_core import paths

# Quitting takes at most these together.
_STORE_TIMEOUT_S = 0.8
_ENGINE_TIMEOUT_S = 1.2


class Velox(Parts):
    """The running application, from its start to its end."""

    def __init__(self, app: QApplication, factory: EngineFactory = make_engine) -> None:
        """Build everything; nothing is read or loaded before :meth:`start`."""
        super().__init__(app, factory)
        self._app = app
        self._closed = False
        self._garbage = GuiGarbageCollector(self)
        self.commands.quit_requested.connect(self.quit)
        self.shell.quit_requested.connect(self.quit)

    def start(self) -> None:
        """Show the window; chats and model come right after it."""
        self.window.show()
        QTimer.singleShot(0, self._begin)

    @Slot()
    def quit(self) -> None:
        """End the application, whatever it is doing."""
        if self.close():
            # Not QApplication.quit: it asks the window first, which never closes by itself.
            self._app.exit(0)
            return
        # The engine is inside a call that cannot be interrupted; everything is saved by now.
        logging.shutdown()
        os._exit(0)

    def close(self) -> bool:
        """Save everything and end all threads; returns whether they all ended."""
        if self._closed:
            return True
        self._closed = True
        self.composer.save_draft()
        self.chat_settings.flush()
        self.window_state.save()
        self.storage.remember(self.open_chat.chat_id)
        self.replies.stop_all()
        self.models.close()
        self.settings_window.close()
        self.models_window.close()
        self.compare.close()
        self.quality.close()
        self.help.close()
        self.settings.flush()
        self.window.hide()
        self.start_page.close()
        self.counter.close()
        saved = self.desk.close(_STORE_TIMEOUT_S)
        ended = self.client.shutdown(_ENGINE_TIMEOUT_S)
        self._garbage.close()
        for timer in self.findChildren(QTimer):
            timer.stop()
        self.guard.release()
        return saved and ended

    @Slot()
    def _begin(self) -> None:
        self.storage.open()
        self.models.load_at_start()
        self.start_page.refresh()
        self.composer.load_prompts()


class _Application(QApplication):
    """Tells when the system wants it to end: the Dock's Quit, or a log-out.

    Signals:
        quit_wished: it should end.
    """

    quit_wished = Signal()

    def event(self, event: QEvent) -> bool:
        """Take over quitting; Qt would ask the window, whose closing means something else."""
        if event.type() == QEvent.Type.Quit:
            self.quit_wished.emit()
            return True
        return super().event(event)


def run() -> int:
    """Show the window and stay until it is quit; the exit status."""
    set_up_logging()
    app = _Application(sys.argv[:1])
    app.setApplicationName(paths.APP_NAME)
    app.setApplicationDisplayName(paths.APP_NAME)
    app.setQuitOnLastWindowClosed(False)
    instance = SingleInstance(paths.data_dir())
    if not instance.acquire():
        return 0
    theme.apply_theme(app)
    velox = Velox(app)
    instance.activation_requested.connect(velox.shell.activate)
    app.quit_wished.connect(velox.quit)
    app.aboutToQuit.connect(velox.close)
    timer = call_on_interrupt(velox.quit)
    velox.start()
    try:
        return app.exec()
    finally:
        timer.stop()
        instance.release()
