"""The application on a machine that has never seen it."""

import pytest

from app.main import Velox
from tests.fake_engine import FakeScript, fake_engine_factory


@pytest.fixture
def velox(tmp_path, monkeypatch, qapp, qtbot):
    monkeypatch.setenv("VELOX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VELOX_STARTER", str(tmp_path / "no starter"))
    velox = Velox(qapp, fake_engine_factory(FakeScript()))
    velox.start()
    yield velox
    assert velox.close()
    velox.window.deleteLater()


def test_welcome_page_offers_the_starter_model_when_there_is_none(velox, qtbot) -> None:
    qtbot.waitUntil(velox.window.shows_start_page)
    assert velox.window.start_page.heading() == "Welcome to Velox"
    assert velox.window.start_page.primary.text() == "Get the starter model"


def test_settings_open_from_the_menu_beside_the_window_and_close_with_the_application(
    velox, qtbot
) -> None:
    velox.menus.settings.trigger()
    settings = velox.settings_window.window
    assert settings.isVisible()
    assert not settings.isModal()
    assert velox.window.isEnabled()
    settings.pages["memory"].fields["memory.budget"].control.setValue(256)
    assert velox.chat_settings.get("memory.budget") == 256
    assert velox.window.panel.budget.value() == 256
    velox.close()
    assert velox.settings_window.window is None
