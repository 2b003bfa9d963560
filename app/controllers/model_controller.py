"""Which model is loaded: at the start, when another is chosen, and when one fails."""

import logging
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.settings.store import SettingsStore
from app.workers.engine_client import EngineClient
from velox_core.engine.events import (
    LoadProgressed,
    LoadStopped,
    ModelInfo,
    ModelLoaded,
    ModelUnloaded,
    RequestFailed,
)
from velox_core.models.starter import find_starter

logger = logging.getLogger(__name__)

_PATH = "models.path"
_LOADING = "models.loading_path"
_RESUME_LIMIT_GB = "memory.resume_limit_gb"
_REUSE_LIMIT_GB = "memory.reuse_limit_gb"


class ModelState(Enum):
    """What there is to chat with."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"


class ModelController(QObject):
    """Loads and frees models, and remembers which.

    Signals:
        state_changed: ``state``, ``name`` or ``info`` is another now.
        progressed: a fraction of 0..1 and a short phrase.
        problem: one plain sentence to show.
        crashed: the model in this folder ended Velox the last time it was loaded.
    """

    state_changed = Signal()
    progressed = Signal(float, str)
    problem = Signal(str)
    crashed = Signal(str)

    def __init__(
        self, client: EngineClient, settings: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._settings = settings
        self._request_id = ""
        self.state = ModelState.NONE
        self.path = ""
        self.info: ModelInfo | None = None
        client.load_progressed.connect(self._on_load_progressed)
        client.model_loaded.connect(self._on_model_loaded)
        client.load_stopped.connect(self._on_load_stopped)
        client.model_unloaded.connect(self._on_model_unloaded)
        client.request_failed.connect(self._on_request_failed)

    @property
    def name(self) -> str:
        """The model's name, empty without one."""
        if self.info is not None:
            return self.info.name
        return Path(self.path).name if self.path else ""

    @property
    def is_starter(self) -> bool:
        """Whether the model in use is the small one that comes with Velox."""
        return bool(self.path) and Path(self.path) == find_starter()

    def load_at_start(self) -> None:
        """Load the model that was used last, or the starter model, if it is there."""
        crashed = self._settings.get(_LOADING)
        if crashed:
            logger.warning("the last start ended while it loaded %s", crashed)
            self._set(_LOADING, "")
            self.crashed.emit(crashed)
            return
        last = self._settings.get(_PATH) if self._settings.get("models.load_last") else ""
        if last and Path(last).is_dir():
            self.load(last)
            return
        starter = find_starter()
        if starter is not None:
            self.load(str(starter))
        if last:
            self.problem.emit(
                self.tr("The model “{name}” is not there any more; choose another one.").format(
                    name=Path(last).name
                )
            )

    def load(self, path: str) -> None:
        """Load the model in folder ``path``; the one loaded now is freed first."""
        if self._request_id:
            self._client.cancel(self._request_id)
        # Written before the load begins: what it does to the process is not known yet.
        self._set(_LOADING, path)
        self._settings.flush()
        reuse_limit_nbytes = round(self._settings.get(_REUSE_LIMIT_GB) * 1e9)
        resume_limit_nbytes = round(self._settings.get(_RESUME_LIMIT_GB) * 1e9)
        self._request_id = self._client.load(path, reuse_limit_nbytes, resume_limit_nbytes)
        self._change(ModelState.LOADING, path)

    @Slot()
    def unload(self) -> None:
        """Free the model, or stop loading it."""
        if self.state is ModelState.LOADING:
            self._client.cancel(self._request_id)
        elif self.state is ModelState.READY:
            self._request_id = self._client.unload()

    def close(self) -> None:
        """The application ends in good order: a load that is cut off now is no crash."""
        self._set(_LOADING, "")

    @Slot(object)
    def _on_load_progressed(self, event: LoadProgressed) -> None:
        if event.request_id == self._request_id:
            self.progressed.emit(event.fraction, event.stage)

    @Slot(object)
    def _on_model_loaded(self, event: ModelLoaded) -> None:
        if event.request_id != self._request_id:
            return
        self._request_id = ""
        self._set(_LOADING, "")
        # The starter model is found anew at each start: the application that carries it may move.
        self._set(_PATH, "" if self.is_starter else self.path)
        self._change(ModelState.READY, self.path, event.info)
        for notice in event.info.notices:
            self.problem.emit(notice)

    @Slot(object)
    def _on_load_stopped(self, event: LoadStopped) -> None:
        if event.request_id == self._request_id:
            self._drop()

    @Slot(object)
    def _on_model_unloaded(self, event: ModelUnloaded) -> None:
        if event.request_id == self._request_id:
            self._drop()

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        if event.request_id == self._request_id:
            self._drop()
            self.problem.emit(event.message)

    def _drop(self) -> None:
        self._request_id = ""
        self._set(_LOADING, "")
        self._change(ModelState.NONE, "")

    def _change(self, state: ModelState, path: str, info: ModelInfo | None = None) -> None:
        self.state, self.path, self.info = state, path, info
        self.state_changed.emit()

    def _set(self, key: str, value: str) -> None:
        self._settings.set(key, value)
