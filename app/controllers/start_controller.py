"""The page in the middle while there is nothing to read: first start, loading, empty chat."""

import threading
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.controllers.future_bridge import FutureBridge
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.widgets.main_window import MainWindow
from velox_core.models.progress import Progress
from velox_core.models.starter import STARTER_NAME, find_starter, install_starter


class StartController(QObject):
    """Decides what the middle shows, and fetches the starter model when asked to.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)
    _progressed = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        models: ModelController,
        open_chat: OpenChat,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._page = window.start_page
        self._models = models
        self._open = open_chat
        self._bridge = FutureBridge(self)
        self._cancel: threading.Event | None = None
        self._thread: threading.Thread | None = None
        self._progressed.connect(self._on_progressed, Qt.ConnectionType.QueuedConnection)
        self._page.primary_requested.connect(self._on_primary)
        self._page.secondary_requested.connect(self._on_secondary)
        models.state_changed.connect(self.refresh)
        models.progressed.connect(self._on_load_progressed)
        open_chat.path_changed.connect(self.refresh)
        open_chat.opened.connect(self._on_opened)

    @Slot()
    def refresh(self) -> None:
        """Show what fits now."""
        if self._open.path:
            self._window.show_conversation()
            return
        self._window.show_start_page()
        if self._cancel is not None:
            return
        if self._models.state is ModelState.LOADING:
            self._show_loading(0.0, "")
        elif self._models.state is ModelState.READY:
            ready = self.tr("{name} is ready. It runs on this computer only.")
            if self._models.is_starter:
                ready = self.tr(
                    "{name}, the starter model, is ready. It is small: fluent, and often wrong. "
                    "The model menu above has larger ones."
                )
            self._page.show_page(
                self.tr("What is on your mind?"), ready.format(name=self._models.name)
            )
        elif find_starter() is not None:
            self._page.show_page(
                self.tr("No model is loaded"),
                self.tr("Load the starter model, or choose a folder with another model."),
                self.tr("Load the starter model"),
                self.tr("Choose a folder…"),
            )
        else:
            self._page.show_page(
                self.tr("Welcome to Velox"),
                self.tr(
                    "Velox needs a model to talk to. The starter model is small (about 100 MB to "
                    "download) and often wrong, but it works at once and stays on this computer."
                ),
                self.tr("Get the starter model"),
                self.tr("Choose a folder…"),
            )

    def choose_folder(self) -> None:
        """Ask for a folder with a model and load it."""
        folder = QFileDialog.getExistingDirectory(
            self._window, self.tr("Choose a folder with a model")
        )
        if folder:
            self._models.load(folder)

    def close(self) -> None:
        """Stop fetching; the application ends."""
        self._bridge.close()
        if self._cancel is not None:
            self._cancel.set()
        if self._thread is not None:
            self._thread.join(1.0)

    @Slot(str)
    def _on_opened(self, _chat_id: str) -> None:
        self.refresh()

    @Slot()
    def _on_primary(self) -> None:
        starter = find_starter()
        if starter is not None:
            self._models.load(str(starter))
        else:
            self._fetch()

    @Slot()
    def _on_secondary(self) -> None:
        if self._cancel is not None:
            self._cancel.set()
        elif self._models.state is ModelState.LOADING:
            self._models.unload()
        else:
            self.choose_folder()

    @Slot(float, str)
    def _on_load_progressed(self, fraction: float, stage: str) -> None:
        if self._cancel is None and not self._open.path:
            self._show_loading(fraction, stage)

    def _show_loading(self, fraction: float, stage: str) -> None:
        self._page.show_progress(
            self.tr("Loading {name}").format(name=self._models.name),
            stage,
            fraction,
            self.tr("Cancel"),
        )

    def _fetch(self) -> None:
        self._cancel = cancel = threading.Event()
        future: Future[Path] = Future()

        def work() -> None:
            try:
                future.set_result(install_starter(self._progressed.emit, cancel))
            except BaseException as error:
                future.set_exception(error)

        self._on_progressed(Progress(self.tr("Fetching the starter model"), 0.0))
        self._bridge.watch(future, self._on_fetched, self._on_fetch_failed)
        self._thread = threading.Thread(target=work, name="velox-starter", daemon=True)
        self._thread.start()

    @Slot(object)
    def _on_progressed(self, step: Progress) -> None:
        if self._cancel is not None and not self._open.path:
            self._page.show_progress(
                self.tr("Getting {name}").format(name=STARTER_NAME),
                step.stage,
                step.fraction,
                self.tr("Cancel"),
            )

    def _on_fetched(self, folder: Path) -> None:
        self._cancel = None
        self._models.load(str(folder))

    def _on_fetch_failed(self, sentence: str) -> None:
        stopped = self._cancel is not None and self._cancel.is_set()
        self._cancel = None
        self.refresh()
        if not stopped:
            self.problem.emit(sentence)
