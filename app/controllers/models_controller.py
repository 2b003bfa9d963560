"""The models window and the menu of the model's button: finding, choosing, unloading."""

import dataclasses
import threading
from concurrent.futures import Future
from types import ModuleType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog

from app.controllers.future_bridge import FutureBridge
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.model_rows import fit_text, row_of
from app.models.model_row import ModelRow
from app.settings.setting import SettingError
from app.settings.store import SettingsStore
from app.widgets.models_window import ModelsWindow
from app.widgets.toolbar import Toolbar
from velox_core.models.discover import FoundModel, find_models

if TYPE_CHECKING:
    from app.controllers.downloads_controller import DownloadsController

_FOLDERS = "models.folders"
_WARNING = "fit"
_FIRST_SEARCH_MS = 1500  # after the start: the chats and the model come first


class ModelsController(QObject):
    """Knows the models on this computer; looks again whenever the window opens."""

    def __init__(
        self,
        toolbar: Toolbar,
        models: ModelController,
        settings: SettingsStore,
        messages: MessageBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._toolbar = toolbar
        self._models = models
        self._settings = settings
        self._messages = messages
        self._bridge = FutureBridge(self)
        self._cancel = threading.Event()
        self._searching = False
        self._window: ModelsWindow | None = None
        self._progress = 0.0
        self.found: list[FoundModel] = []
        self.downloads: DownloadsController | None = None
        toolbar.model_menu.aboutToShow.connect(self._fill_menu)
        models.state_changed.connect(self._on_state_changed)
        models.progressed.connect(self._on_progressed)
        self._stop_watching = settings.on_change(self._on_setting_changed)
        QTimer.singleShot(_FIRST_SEARCH_MS, self.search)

    @property
    def window(self) -> ModelsWindow | None:
        """The models window, once it was opened."""
        return self._window

    @Slot()
    def open(self) -> None:
        """Show the window, in front of the others, and look again."""
        if self._window is None:
            self._window = self._make_window()
        self._window.bring_to_front()
        self.search()

    @Slot()
    def search(self) -> None:
        """Look through all folders, on a thread of its own."""
        if self._searching or self._cancel.is_set():
            return
        self._searching = True
        self._show()
        future: Future[list[FoundModel]] = Future()
        folders = tuple(self._settings.get(_FOLDERS))

        def work() -> None:
            try:
                future.set_result(find_models(folders, self._cancel))
            except BaseException as error:
                future.set_exception(error)

        self._bridge.watch(future, self._on_found, self._on_search_failed)
        threading.Thread(target=work, name="velox-models", daemon=True).start()

    def close(self) -> None:
        """Stop looking and take the window away; the application ends."""
        self._cancel.set()
        self._stop_watching()
        self._bridge.close()
        if self.downloads is not None:
            self.downloads.close()
        if self._window is not None:
            self._window.close()
            self._window.deleteLater()
            self._window = None

    def choose(self, path: str) -> None:
        """Load the model in folder ``path``; one that cannot fit needs a second word."""
        model = next((m for m in self.found if m.path == path), None)
        fit = model.fit(self._budget()) if model else None
        if model is None or fit is None or fit.verdict != "too large":
            self._models.load(path)
            return
        sentence = self.tr("{name} will hardly run here. {fit}.").format(
            name=model.name, fit=fit_text(fit)
        )
        self._messages.show_warning(
            _WARNING, sentence, self.tr("Use Anyway"), lambda: self._models.load(path)
        )
        if self._window is not None and self._window.isVisible():
            self._window.banners.show_message(path, sentence, "warning", self.tr("Use Anyway"))

    @Slot()
    def add_folder(self) -> None:
        """Ask for a folder with models, remember it and look there, too."""
        folder = QFileDialog.getExistingDirectory(
            self._window or self._toolbar, self.tr("Add a folder with models")
        )
        known = tuple(self._settings.get(_FOLDERS))
        if folder and folder not in known:
            try:
                self._settings.set(_FOLDERS, (*known, folder))
            except SettingError as error:
                self._messages.show_problem(str(error))

    def _budget(self) -> int:
        return int(self._settings.get("memory.budget"))

    def _make_window(self) -> ModelsWindow:
        window = ModelsWindow()
        window.action_triggered.connect(self._on_action)
        window.folder_requested.connect(self.add_folder)
        window.refresh_requested.connect(self.search)
        window.banners.action_triggered.connect(self._models.load)
        self._offer_downloads(window)
        return window

    def _offer_downloads(self, window: ModelsWindow) -> None:
        # The hub's library takes a second to import: on a thread, so that nothing stutters.
        future: Future[ModuleType] = Future()

        def work() -> None:
            try:
                from app.controllers import downloads_controller

                future.set_result(downloads_controller)
            except BaseException as error:
                future.set_exception(error)

        def offer(module: ModuleType) -> None:
            self.downloads = module.DownloadsController(self._settings, self)
            self.downloads.finished.connect(self.search)
            self.downloads.set_installed({model.name for model in self.found})
            self.downloads.attach(window)

        self._bridge.watch(future, offer, self._messages.show_problem)
        threading.Thread(target=work, name="velox-downloads", daemon=True).start()

    def _on_found(self, found: list[FoundModel]) -> None:
        self._searching = False
        self.found = found
        if self.downloads is not None:
            self.downloads.set_installed({model.name for model in found})
        self._show()

    def _on_search_failed(self, sentence: str) -> None:
        self._searching = False
        self._messages.show_problem(sentence)
        self._show()

    def _on_setting_changed(self, key: str, _value: object) -> None:
        if key == _FOLDERS:
            self.search()

    @Slot()
    def _on_state_changed(self) -> None:
        self._progress = 0.0
        self._messages.clear(_WARNING)
        self._show()

    @Slot(float, str)
    def _on_progressed(self, fraction: float, _stage: str) -> None:
        self._progress = fraction
        self._show()

    @Slot(str, str)
    def _on_action(self, key: str, action: str) -> None:
        if action == "load":
            self.choose(key)
        elif action in ("unload", "cancel"):
            self._models.unload()

    def _show(self) -> None:
        if self._window is not None:
            budget = self._budget()
            rows = [self._row(model, budget) for model in self.found]
            self._window.show_local(rows, self._searching and not self.found)

    def _row(self, model: FoundModel, budget: int) -> ModelRow:
        row = row_of(model, budget)
        if model.path != self._models.path:
            return row
        if self._models.state is ModelState.LOADING:
            return dataclasses.replace(
                row, note=self.tr("Loading…"), progress=self._progress, actions=("cancel",)
            )
        if self._models.state is ModelState.READY:
            return dataclasses.replace(row, note=self.tr("In use"), actions=("unload",))
        return row

    @Slot()
    def _fill_menu(self) -> None:
        menu = self._toolbar.model_menu
        menu.clear()
        for model in self.found:
            if model.problem is None:
                action = menu.addAction(model.name)
                action.setCheckable(True)
                action.setChecked(model.path == self._models.path)
                action.triggered.connect(lambda _=False, path=model.path: self.choose(path))
        menu.addSeparator()
        unload = QAction(self.tr("Unload Model"), menu)
        unload.setEnabled(self._models.state is ModelState.READY)
        unload.triggered.connect(self._models.unload)
        menu.addAction(unload)
        menu.addAction(self.tr("Models…")).triggered.connect(self.open)
