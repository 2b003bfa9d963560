"""Downloads from a real server on loopback, driven through the models window."""

import threading

import numpy as np
import pytest
from PySide6.QtWidgets import QInputDialog, QLabel
from safetensors.numpy import save_file

from app.controllers.downloads_controller import DownloadsController
from app.settings.store import SettingsStore
from app.widgets.models_window import ModelsWindow
from tests.core.model_folders import write_model
from tests.hub_server import running_hub
from velox_core import paths
from velox_core.models.download import download_model
from velox_core.models.progress import StoppedError
from velox_core.models.suggestions import suggestions
from velox_core.models.token_store import KeychainError, TokenStore

NAME = "someone/Tiny-4bit"


@pytest.fixture
def hub(tmp_path):
    folder = write_model(tmp_path / "hub")
    weights = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    save_file({"model.embed_tokens.weight": weights}, folder / "model.safetensors")
    with running_hub() as server:
        server.repositories[NAME] = folder
        yield server
        server.hold.clear()


@pytest.fixture
def window(qtbot):
    window = ModelsWindow()
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def controller(window, hub, velox_home):
    controller = DownloadsController(SettingsStore(velox_home / "s.json"), endpoint=hub.endpoint)
    controller.attach(window)
    yield controller
    controller.close()


def ask_for(window, text):
    window.field.setText(text)
    window.download_button.click()


def buttons(window, key=NAME):
    return window.suggested.widgets[key].buttons


def texts(window, key=NAME):
    return [label.text() for label in window.suggested.widgets[key].findChildren(QLabel)]


def test_suggestions_are_offered_unless_they_are_here(window, controller):
    names = [suggestion.repository for suggestion in suggestions()]
    assert list(window.suggested.widgets) == names
    assert list(buttons(window, names[0])) == ["download"]
    controller.set_installed({names[0]})
    assert list(window.suggested.widgets) == names[1:]


def test_a_named_repository_is_downloaded(qtbot, window, controller):
    with qtbot.waitSignal(controller.finished) as done:
        ask_for(window, f" https://hub.example/{NAME} ")
        assert list(buttons(window)) == ["pause"]
    assert done.args == [str(paths.models_dir() / NAME)]
    assert NAME not in window.suggested.widgets
    assert window.field.text() == ""


def test_a_download_is_paused_and_resumed(qtbot, window, controller, hub):
    hub.hold.set()
    ask_for(window, NAME)
    qtbot.waitUntil(lambda: any("of 4.2 MB" in text for text in texts(window)))
    buttons(window)["pause"].click()
    assert "Stopping…" in texts(window)
    hub.hold.clear()
    qtbot.waitUntil(lambda: list(buttons(window)) == ["resume", "discard"])
    assert any(text.startswith("Paused at ") for text in texts(window))
    with qtbot.waitSignal(controller.finished):
        buttons(window)["resume"].click()


def test_a_download_of_an_earlier_run_is_offered_again(window, hub, velox_home):
    cancel = threading.Event()
    with pytest.raises(StoppedError):
        download_model(NAME, lambda _step: cancel.set(), cancel, endpoint=hub.endpoint)
    controller = DownloadsController(SettingsStore(velox_home / "s.json"), endpoint=hub.endpoint)
    controller.attach(window)
    assert list(buttons(window)) == ["resume", "discard"]
    buttons(window)["discard"].click()
    assert NAME not in window.suggested.widgets
    assert not list((paths.models_dir() / ".downloads").glob("*/*"))
    controller.close()


def test_a_failure_is_said_in_its_row(qtbot, window, controller):
    ask_for(window, "someone/Nothing")
    sentence = "There is no repository someone/Nothing, or it is private"
    qtbot.waitUntil(lambda: any(t.startswith(sentence) for t in texts(window, "someone/Nothing")))
    assert list(buttons(window, "someone/Nothing")) == ["download", "discard"]


def test_an_odd_name_is_refused_in_the_window(window, controller):
    ask_for(window, "tiny")
    assert window.banners.message("repository").startswith("That is no repository's name")
    assert window.field.text() == "tiny"


def test_token_goes_to_the_keychain_and_opens_private_models(
    qtbot, window, controller, hub, monkeypatch
):
    hub.private.add(NAME)
    kept = []

    def keep(store, token):
        store._session = token
        kept.append(token)
        raise KeychainError("It is forgotten when Velox quits.")

    monkeypatch.setattr(TokenStore, "set", keep)
    monkeypatch.setattr(QInputDialog, "getText", lambda *_args: (f" {hub.token} ", True))
    window.token_button.click()
    qtbot.waitUntil(lambda: window.banners.message("token") != "")
    assert kept == [hub.token]
    with qtbot.waitSignal(controller.finished):
        ask_for(window, NAME)


def test_closing_pauses_what_runs(qtbot, window, controller, hub):
    hub.hold.set()
    ask_for(window, NAME)
    qtbot.waitUntil(lambda: any("of 4.2 MB" in text for text in texts(window)))
    hub.hold.clear()
    controller.close()
    assert not [t for t in threading.enumerate() if t.name == "velox-download" and t.is_alive()]
