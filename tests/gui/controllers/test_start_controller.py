"""The page in the middle at the very first start."""

import threading
from pathlib import Path

import pytest

from app.controllers import start_controller
from app.controllers.model_controller import ModelState
from velox_core.errors import ModelError
from velox_core.models.progress import Progress, StoppedError


@pytest.fixture
def driver(open_velox, monkeypatch):
    monkeypatch.setenv("VELOX_STARTER", "")
    driver = open_velox(wait=False)
    driver.until(lambda: driver.window.start_page.primary.isVisible())
    return driver


def test_first_start_offers_the_starter_model(driver, monkeypatch, tmp_path) -> None:
    go_on = threading.Event()

    def install(progress, _cancel) -> Path:
        progress(Progress("Fetching", 0.5))
        go_on.wait(10)
        return tmp_path

    monkeypatch.setattr(start_controller, "install_starter", install)
    page = driver.window.start_page
    assert page.heading() == "Welcome to Velox"
    page.primary.click()
    driver.until(lambda: page.text() == "Fetching" and page.progress.value() == 500)
    go_on.set()
    driver.ready()
    assert driver.velox.models.path == str(tmp_path)


def test_failed_fetch_says_why_and_offers_again(driver, monkeypatch) -> None:
    def install(_progress, _cancel) -> Path:
        raise ModelError("There is no network; try again later.")

    monkeypatch.setattr(start_controller, "install_starter", install)
    driver.window.start_page.primary.click()
    driver.until(lambda: driver.problem == "There is no network; try again later.")
    assert driver.window.start_page.primary.text() == "Get the starter model"


def test_cancelled_fetch_says_nothing(driver, monkeypatch) -> None:
    def install(_progress, cancel) -> Path:
        cancel.wait(10)
        raise StoppedError("Fetching was stopped.")

    monkeypatch.setattr(start_controller, "install_starter", install)
    page = driver.window.start_page
    page.primary.click()
    page.secondary.click()
    driver.until(lambda: page.primary.isVisible())
    assert driver.problem == ""
    assert driver.velox.models.state is ModelState.NONE


def test_closing_while_fetching_ends_the_work(driver, monkeypatch) -> None:
    ended = threading.Event()

    def install(_progress, cancel) -> Path:
        cancel.wait(10)
        ended.set()
        raise StoppedError("Fetching was stopped.")

    monkeypatch.setattr(start_controller, "install_starter", install)
    driver.window.start_page.primary.click()
    assert driver.velox.close()
    assert ended.wait(5)


def test_starter_model_is_called_what_it_is_before_the_first_message(open_velox) -> None:
    driver = open_velox()
    driver.until(lambda: "starter model" in driver.window.start_page.text())
    assert "often wrong" in driver.window.start_page.text()
