"""Downloads in the models window: suggestions, any repository, pause, resume, the access token."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QInputDialog, QLineEdit

from app.controllers.future_bridge import FutureBridge
from app.controllers.model_rows import download_row, suggestion_row
from app.models.model_row import ModelRow
from app.settings.store import SettingsStore
from app.widgets.models_window import ModelsWindow
from velox_core.errors import VeloxError
from velox_core.models.download import discard_download, download_model, unfinished_downloads
from velox_core.models.hub import repository_name
from velox_core.models.progress import DownloadProgress
from velox_core.models.suggestions import suggestions
from velox_core.models.token_store import TokenStore

_END_WAIT_S = 1.0
_TOKEN = "token"


@dataclass
class _Download:
    """A download that runs, or one that was stopped or failed."""

    progress: DownloadProgress
    cancel: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    problem: str = ""


class DownloadsController(QObject):
    """Runs each download on a plain thread of its own; no more than a few at a time are likely.

    Signals:
        finished: a model has arrived; its folder.
    """

    finished = Signal(str)
    _progressed = Signal(str, object)

    def __init__(
        self,
        settings: SettingsStore,
        parent: QObject | None = None,
        endpoint: str | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._endpoint = endpoint
        self._tokens = TokenStore()
        self._bridge = FutureBridge(self)
        self._downloads: dict[str, _Download] = {}
        self._installed: set[str] = set()
        self._closed = False
        self._window: ModelsWindow | None = None
        self._progressed.connect(self._on_progressed)

    def attach(self, window: ModelsWindow) -> None:
        """Show the downloads in ``window`` from now on."""
        self._window = window
        window.repository_requested.connect(self._on_repository_requested)
        window.action_triggered.connect(self._on_action)
        window.token_requested.connect(self._on_token_requested)
        window.set_downloads(True)
        for waiting in unfinished_downloads():
            done, total = waiting.done_nbytes, waiting.total_nbytes
            progress = DownloadProgress("", done / total if total else 0.0, done, total)
            self._downloads.setdefault(waiting.repository, _Download(progress))
        self._show()

    def set_installed(self, names: set[str]) -> None:
        """Leave out the suggestions that are on this computer already."""
        self._installed = names
        self._show()

    def close(self) -> None:
        """Pause everything; the application ends."""
        self._closed = True
        self._window = None
        self._bridge.close()
        threads = [d.thread for d in self._downloads.values() if d.thread is not None]
        for download in self._downloads.values():
            download.cancel.set()
        for thread in threads:
            thread.join(_END_WAIT_S)

    def _start(self, repository: str) -> None:
        known = self._downloads.get(repository)
        if known is not None and known.thread is not None:
            return
        progress = known.progress if known else DownloadProgress("", 0.0)
        download = _Download(progress)
        self._downloads[repository] = download

        def work() -> Path:
            return download_model(
                repository,
                lambda step: self._tell(repository, step),
                download.cancel,
                self._tokens.get(),
                self._endpoint,
            )

        download.thread = self._run(
            work,
            lambda folder: self._on_finished(repository, folder),
            lambda sentence: self._on_failed(repository, sentence),
        )
        self._show()

    def _run(
        self,
        work: Callable[[], Path | None],
        then: Callable[[Path | None], None] | None,
        failed: Callable[[str], None],
    ) -> threading.Thread:
        """Do ``work`` on a plain thread: networks and keychains may take their time."""
        future: Future[Path | None] = Future()

        def run() -> None:
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._bridge.watch(future, then, failed)
        thread = threading.Thread(target=run, name="velox-download", daemon=True)
        thread.start()
        return thread

    def _tell(self, repository: str, step: DownloadProgress) -> None:
        """Runs on the download's thread."""
        if not self._closed:
            self._progressed.emit(repository, step)

    @Slot(str, object)
    def _on_progressed(self, repository: str, step: DownloadProgress) -> None:
        download = self._downloads.get(repository)
        if download is not None and self._window is not None:
            download.progress = step
            self._window.show_row(self._row(repository))

    def _on_finished(self, repository: str, folder: Path | None) -> None:
        self._downloads.pop(repository, None)
        self._installed.add(repository)
        self._show()
        self.finished.emit(str(folder))

    def _on_failed(self, repository: str, sentence: str) -> None:
        download = self._downloads[repository]
        download.thread = None
        download.problem = "" if download.cancel.is_set() else sentence
        waiting = next((w for w in unfinished_downloads() if w.repository == repository), None)
        if waiting is None:
            download.progress = DownloadProgress("", 0.0)
        self._show()

    @Slot(str)
    def _on_repository_requested(self, text: str) -> None:
        try:
            repository = repository_name(text)
        except VeloxError as error:
            if self._window is not None:
                self._window.banners.show_message("repository", str(error))
            return
        if self._window is not None:
            self._window.banners.clear_message("repository")
            self._window.field.clear()
        self._start(repository)

    @Slot(str, str)
    def _on_action(self, key: str, action: str) -> None:
        if action in ("download", "resume"):
            self._start(key)
        elif action == "pause" and key in self._downloads:
            self._downloads[key].cancel.set()
            self._show()
        elif action == "discard" and key in self._downloads:
            del self._downloads[key]
            discard_download(key)
            self._show()

    @Slot()
    def _on_token_requested(self) -> None:
        text, accepted = QInputDialog.getText(
            self._window,
            self.tr("Access Token"),
            self.tr(
                "The hub's access token, for private models and those with terms.\n"
                "It is kept in the system's keychain; leave it empty to remove it."
            ),
            QLineEdit.EchoMode.Password,
        )
        if accepted:
            self._run(lambda: self._keep_token(text.strip()), None, self._on_token_failed)

    def _keep_token(self, token: str) -> None:
        if token:
            self._tokens.set(token)
        else:
            self._tokens.clear()

    def _on_token_failed(self, sentence: str) -> None:
        if self._window is not None:
            self._window.banners.show_message(_TOKEN, sentence, "warning")

    def _show(self) -> None:
        if self._window is None:
            return
        known = {suggestion.repository for suggestion in suggestions()}
        keys = [repository for repository in self._downloads if repository not in known]
        keys += [
            suggestion.repository
            for suggestion in suggestions()
            if suggestion.repository in self._downloads
            or suggestion.repository not in self._installed
        ]
        self._window.show_suggested([self._row(key) for key in keys])

    def _row(self, repository: str) -> ModelRow:
        budget = int(self._settings.get("memory.budget"))
        suggestion = next((s for s in suggestions() if s.repository == repository), None)
        row = suggestion_row(suggestion, budget) if suggestion else ModelRow(repository, repository)
        download = self._downloads.get(repository)
        if download is None:
            return row
        stopping = download.thread is not None and download.cancel.is_set()
        return download_row(
            row, download.progress, download.thread is not None, stopping, download.problem
        )
