"""Measuring what a budget costs: priced, stoppable, shown."""

import pytest
from PySide6.QtWidgets import QMessageBox

from tests.fake_engine import FakeScript


@pytest.fixture
def script() -> FakeScript:
    return FakeScript(reply=" ".join(["word"] * 100))


@pytest.fixture
def driver(open_velox, script):
    driver = open_velox(script)
    driver.ask("Go on")
    return driver


def test_result_names_each_budget_with_its_figures(driver) -> None:
    driver.velox.chat_settings.set("memory.budget", 64)
    quality = driver.velox.quality
    with driver.qtbot.waitSignal(quality.shown, timeout=5000):
        quality.start()
    lines = quality.window.text.text().split("\n")
    assert [line.split(":")[0] for line in lines] == ["Budget 64 (in use)", "Budget 128"]
    assert "90 % of the likeliest tokens the same, perplexity 1.02×" in lines[0]
    assert quality.window.isVisible()
    told = quality.window.perplexity.accessibleDescription()
    assert told.startswith("64: 1.02×, 128: ")


def test_check_is_named_and_can_be_stopped(driver, script) -> None:
    script.prefill_s = 60
    driver.velox.menus.quality.trigger()
    box = driver.window.findChild(QMessageBox)
    assert "the budgets 2,048." in box.informativeText()
    box.button(QMessageBox.StandardButton.Ok).click()
    driver.until(lambda: "50 %" in driver.window.banners.message("quality"))
    with driver.qtbot.waitSignal(driver.velox.client.request_stopped, timeout=5000):
        driver.window.banners.banner("quality").action_button.click()
    assert driver.window.banners.message("quality") == ""
    assert driver.velox.quality.window is None


def test_empty_chat_has_nothing_to_measure(open_velox) -> None:
    driver = open_velox()
    driver.velox.menus.quality.trigger()
    assert driver.problem == "This chat is empty; send a message first."


def test_check_is_priced_in_seconds_before_it_starts(driver) -> None:
    speed = driver.velox.quality.parts.speed
    speed.prefill_tps, speed.decode_tps = 100.0, 10.0
    driver.velox.chat_settings.set("memory.budget", 64)
    driver.velox.menus.quality.trigger()
    box = driver.window.findChild(QMessageBox)
    # Three readings of 102 tokens, two budgets of 64 tokens one by one: 3.1 s and 12.8 s.
    assert "It takes about 16 s" in box.informativeText()
