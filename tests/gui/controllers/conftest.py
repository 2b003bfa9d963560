"""The whole window on a scripted engine, with folders of its own."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.controllers.model_controller import ModelState
from app.main import Velox
from tests.fake_engine import FakeScript, fake_engine_factory


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder; the starter model counts as installed."""
    monkeypatch.setenv("VELOX_HOME", str(tmp_path / "home"))
    starter = tmp_path / "Starter 1B"
    starter.mkdir()
    (starter / "velox-starter.json").write_text(json.dumps({"format": 1, "files": {}}))
    monkeypatch.setenv("VELOX_STARTER", str(starter))
    return tmp_path / "home"


class Driver:
    """Does with the window what a person does, and waits for what follows."""

    def __init__(self, velox: Velox, qtbot: QtBot) -> None:
        self.velox = velox
        self.qtbot = qtbot
        self.window = velox.window

    def until(self, condition: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=10_000)

    def ready(self) -> "Driver":
        self.until(lambda: self.velox.models.state is ModelState.READY)
        return self

    def send(self, text: str) -> None:
        self.window.composer.set_text(text)
        self.window.composer.send_requested.emit()

    def ask(self, text: str) -> None:
        """Send and wait until the reply is saved."""
        with self.qtbot.waitSignal(self.velox.replies.saved, timeout=10_000):
            self.send(text)
        self.until(lambda: not self.velox.replies.is_busy(self.chat_id))

    @property
    def chat_id(self) -> str:
        return self.velox.open_chat.chat_id

    @property
    def texts(self) -> list[str]:
        return [self.view(i).text for i in range(len(self.ids))]

    @property
    def ids(self) -> list[str]:
        return self.window.transcript.message_ids()

    def view(self, place: int):
        return self.window.transcript.message(self.ids[place])

    @property
    def titles(self) -> list[str]:
        model = self.window.sidebar.list.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    @property
    def problem(self) -> str:
        return self.window.banners.message("problem")


@pytest.fixture
def open_velox(
    qapp, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Driver]]:
    """Start the application; all of its threads have ended after the test."""
    # On a busy machine they may take longer than a person would wait; other tests measure that.
    monkeypatch.setattr("app.main._STORE_TIMEOUT_S", 30)
    monkeypatch.setattr("app.main._ENGINE_TIMEOUT_S", 30)
    running: list[Velox] = []

    def start(script: FakeScript | None = None, *, wait: bool = True) -> Driver:
        velox = Velox(qapp, fake_engine_factory(script))
        running.append(velox)
        velox.start()
        driver = Driver(velox, qtbot)
        return driver.ready() if wait else driver

    yield start
    for velox in running:
        assert velox.close()
        velox.window.deleteLater()
