"""The window as a whole: its title, the model's name, notices, and what closing means."""

import sys
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.controllers.composer_controller import ComposerController
from app.controllers.memory_controller import MemoryController
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.controllers.token_counter import TokenCounter
from app.models.formats import format_count
from app.models.memory_view import MemoryView
from app.platform_macos import Platform
from app.widgets.main_window import MainWindow
from app.workers.engine_client import EngineClient
from velox_core.engine.events import NoticeGiven


class ShellController(QObject):
    """Passes on what concerns several parts of the window.

    Signals:
        quit_requested: the application is to end.
    """

    quit_requested = Signal()

    def __init__(
        self,
        window: MainWindow,
        client: EngineClient,
        platform: Platform,
        messages: MessageBar,
        models: ModelController,
        open_chat: OpenChat,
        replies: Replies,
        composer: ComposerController,
        memory: MemoryController,
        counter: TokenCounter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._client = client
        self._platform = platform
        self._messages = messages
        self._models = models
        self._open = open_chat
        self._composer = composer
        self._memory = memory
        self._counter = counter
        client.notice_given.connect(self._on_notice_given)
        models.state_changed.connect(self._on_model_changed)
        memory.shown.connect(self._on_memory_shown)
        models.progressed.connect(self._on_load_progressed)
        models.crashed.connect(self._on_model_crashed)
        open_chat.opened.connect(self._on_title_changed)
        open_chat.renamed.connect(self._on_title_changed)
        replies.busy_changed.connect(self._on_busy_changed)
        window.close_requested.connect(self._on_close_requested)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.applicationStateChanged.connect(self._on_application_state_changed)
        self._on_model_changed()
        self._on_title_changed("")

    @Slot()
    def activate(self) -> None:
        """Bring the window to the front."""
        if self._window.isMinimized():
            self._window.showNormal()
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    @Slot()
    def _on_model_changed(self) -> None:
        models = self._models
        names = {
            ModelState.NONE: self.tr("No model"),
            ModelState.LOADING: self.tr("Loading {name}…").format(name=models.name),
            ModelState.READY: models.name,
        }
        self._window.toolbar.set_model(names[models.state])
        self._composer.set_ready(models.state is not ModelState.NONE)
        if models.state is not ModelState.LOADING:
            self._counter.set_model(models.path)
            self._memory.set_model(models.info)

    @Slot(float, str)
    def _on_load_progressed(self, fraction: float, _stage: str) -> None:
        self._window.toolbar.set_model(
            self.tr("Loading {name}… {percent} %").format(
                name=self._models.name, percent=round(fraction * 100)
            )
        )

    @Slot(str)
    def _on_model_crashed(self, path: str) -> None:
        self._messages.show_warning(
            "crash",
            self.tr(
                "Velox ended while it loaded “{name}” the last time, so it was not loaded again. "
                "Choose another model, or try it once more."
            ).format(name=Path(path).name),
            self.tr("Try again"),
            lambda: self._models.load(path),
        )

    @Slot(object)
    def _on_memory_shown(self, view: MemoryView) -> None:
        text = ""
        if view.tokens_seen:
            text = self.tr("{seen} seen · {kept} kept").format(
                seen=format_count(view.tokens_seen), kept=format_count(view.tokens_kept)
            )
        self._composer.set_cache_text(text)

    @Slot(object)
    def _on_notice_given(self, event: NoticeGiven) -> None:
        self._messages.show_warning("engine", event.message)

    @Slot(str)
    def _on_title_changed(self, _text: str) -> None:
        self._window.set_title(self._open.title or self.tr("New Chat"))

    @Slot(str, bool)
    def _on_busy_changed(self, _chat_id: str, _busy: bool) -> None:
        if self._client.busy:
            self._platform.begin_activity("Making a reply")
        else:
            self._platform.end_activity()

    @Slot()
    def _on_close_requested(self) -> None:
        if sys.platform == "darwin":
            # The application stays; the Dock brings its window back.
            self._window.hide()
        else:
            self.quit_requested.emit()

    @Slot(object)
    def _on_application_state_changed(self, state: Qt.ApplicationState) -> None:
        # A click on the Dock icon sends this even to an application that is active already.
        if (
            sys.platform == "darwin"
            and state == Qt.ApplicationState.ApplicationActive
            and not self._window.isVisible()
        ):
            self.activate()
