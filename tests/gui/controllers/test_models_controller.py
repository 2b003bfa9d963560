"""Models on disk in the window: found, chosen, unloaded, broken, too large."""

import dataclasses

import pytest

from app.controllers import models_controller
from app.controllers.model_controller import ModelState
from velox_core.models.discover import FoundModel
from velox_core.models.model_folder import ModelFacts

FACTS = ModelFacts(
    model_type="llama",
    weights_nbytes=1_000_000,
    n_parameters=1_000_000,
    quantization="4-bit",
    context_window=8192,
    bytes_per_token=1000,
    cache_support="full",
    has_chat_template=True,
)
HUGE = dataclasses.replace(FACTS, weights_nbytes=10**15, n_parameters=10**15)
FOUND = [
    FoundModel("small", "/models/small", "velox", 1_000_000, FACTS, None),
    FoundModel("huge", "/models/huge", "hub", 10**15, HUGE, None),
    FoundModel("broken", "/models/broken", "folder", 10, None, "It has no config.json."),
]


@pytest.fixture
def driver(open_velox, monkeypatch):
    monkeypatch.setattr(models_controller, "find_models", lambda _folders, _cancel: list(FOUND))
    driver = open_velox().ready()
    driver.velox.models_window.open()
    driver.until(lambda: driver.velox.models_window.found)
    return driver


def rows(driver):
    return driver.velox.models_window.window.local.widgets


def test_found_models_are_listed_with_what_can_be_done(driver):
    assert list(rows(driver)) == ["/models/small", "/models/huge", "/models/broken"]
    assert list(rows(driver)["/models/small"].buttons) == ["load"]
    assert list(rows(driver)["/models/broken"].buttons) == []
    words = [
        label.text()
        for label in rows(driver)["/models/broken"].findChildren(object)
        if hasattr(label, "text")
    ]
    assert "It has no config.json." in words


def test_a_model_is_used_and_unloaded_from_the_window(driver):
    rows(driver)["/models/small"].buttons["load"].click()
    driver.until(lambda: driver.velox.models.path == "/models/small")
    driver.ready()
    assert list(rows(driver)["/models/small"].buttons) == ["unload"]
    rows(driver)["/models/small"].buttons["unload"].click()
    driver.until(lambda: driver.velox.models.state is ModelState.NONE)
    assert list(rows(driver)["/models/small"].buttons) == ["load"]


def test_a_model_that_cannot_fit_needs_a_second_word(driver):
    before = driver.velox.models.path
    rows(driver)["/models/huge"].buttons["load"].click()
    assert driver.velox.models.path == before
    assert "will hardly run here" in driver.window.banners.message("fit")
    driver.window.banners.banner("fit").action_button.click()
    assert driver.velox.models.path == "/models/huge"
    assert driver.window.banners.message("fit") == ""


def test_menu_of_the_model_button_offers_what_can_be_used(driver):
    menu = driver.window.toolbar.model_menu
    menu.aboutToShow.emit()
    names = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert names == ["small", "huge", "Unload Model", "Models…"]
    menu.actions()[0].trigger()
    driver.until(lambda: driver.velox.models.path == "/models/small")


def test_added_folders_are_looked_through_at_once(driver, monkeypatch):
    asked = []
    monkeypatch.setattr(
        models_controller, "find_models", lambda folders, _cancel: asked.append(folders) or []
    )
    driver.velox.settings.set("models.folders", ("/more",))
    driver.until(lambda: asked)
    assert asked == [("/more",)]
    driver.until(lambda: not rows(driver))


def test_downloads_are_offered_once_the_window_is_open(driver):
    driver.until(lambda: driver.velox.models_window.downloads)
    suggested = driver.velox.models_window.window.suggested.widgets
    assert all(list(widget.buttons) == ["download"] for widget in suggested.values())
    assert len(suggested) > 5
