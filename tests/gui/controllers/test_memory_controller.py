"""Sliders that act mid-reply, and figures that come from measurements."""

import pytest
from PySide6.QtWidgets import QMessageBox

from tests.fake_engine import FakeScript


def figures(driver) -> list[str]:
    return driver.window.panel.figures.values()


def move_budget(driver, budget: int) -> None:
    panel = driver.window.panel
    panel.budget.box.setText(str(budget))
    panel.budget.box.editingFinished.emit()


@pytest.fixture
def driver(open_velox):
    return open_velox(FakeScript(reply="word " * 3000, tokens_per_s=400))


def test_budget_moved_in_the_middle_of_a_reply_lowers_what_is_kept(driver) -> None:
    driver.velox.settings.set("sampling.max_tokens", 3000)
    measured = []
    driver.velox.client.cache_measured.connect(lambda event: measured.append(event.stats))
    driver.send("Go on")
    driver.until(lambda: measured and measured[-1].tokens_kept > 100)
    move_budget(driver, 64)
    driver.until(lambda: measured[-1].tokens_kept == 64)
    assert driver.velox.client.busy
    driver.until(lambda: figures(driver)[2].startswith("64 / "))
    assert driver.window.panel.gauge.ratio() > 1
    driver.velox.chats.stop()
    driver.until(lambda: not driver.velox.client.busy)


def test_budget_belongs_to_its_chat(driver) -> None:
    driver.velox.settings.set("sampling.max_tokens", 5)
    driver.ask("First")
    first = driver.chat_id
    move_budget(driver, 256)
    driver.velox.chats.new_chat()
    assert driver.window.panel.budget.value() == 2048
    driver.ask("Second")
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.chat_id == first)
    assert driver.window.panel.budget.value() == 256
    assert driver.velox.chat_settings.cache().budget == 256


@pytest.mark.parametrize("when", ["before", "after"])
def test_budget_is_there_again_after_a_restart(open_velox, when) -> None:
    first = open_velox()
    if when == "before":
        move_budget(first, 256)
    first.ask("First")
    if when == "after":
        move_budget(first, 256)
        timer = first.velox.chat_settings._timer
        first.until(lambda: not timer.isActive())
    assert first.velox.close()
    second = open_velox()
    second.until(lambda: second.texts)
    assert second.window.panel.budget.value() == 256


def test_figures_of_a_chat_are_shown_again_when_it_is_opened(driver) -> None:
    driver.velox.settings.set("sampling.max_tokens", 5)
    driver.ask("First")
    first, before = driver.chat_id, figures(driver)[2]
    driver.velox.chats.new_chat()
    assert figures(driver)[2] != before
    driver.velox.chats.open_chat(first)
    driver.until(lambda: figures(driver)[2] == before)
    assert before == "6 / 6"


def test_budget_reaches_to_the_window_of_the_model(driver) -> None:
    assert driver.window.panel.budget.range() == (64, 8192)


def test_full_cache_counts_from_the_next_reply(driver) -> None:
    driver.velox.settings.set("sampling.max_tokens", 100)
    move_budget(driver, 64)
    driver.window.panel.bounded.click()
    driver.ask("First")
    assert figures(driver)[2] == "101 / 101"


def test_budget_acts_at_once_on_a_chat_that_was_opened_again(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 200)))
    driver.ask("First")
    first = driver.chat_id
    driver.velox.chats.new_chat()
    driver.ask("Second")
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.chat_id == first and figures(driver)[2] == "201 / 201")
    move_budget(driver, 64)
    driver.until(lambda: figures(driver)[2] == "64 / 201")


def test_opened_chat_shows_what_is_still_at_hand_of_it(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 200)))
    driver.velox.settings.set("memory.show_remembered", True)
    driver.velox.settings.set("memory.budget", 64)
    driver.ask("First")
    first = driver.chat_id
    driver.velox.chats.new_chat()
    driver.ask("Second")
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.chat_id == first and driver.view(1).remembered is not None)
    assert driver.view(1).remembered == 0.32


def test_budget_below_the_pins_is_refused_and_goes_back(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 100)))
    driver.ask("First")
    driver.window.transcript.pin_toggled.emit(driver.ids[1], True)
    move_budget(driver, 64)
    driver.until(lambda: driver.problem)
    assert driver.problem == "100 pinned are too many."
    assert driver.window.panel.budget.value() == 2048
    assert driver.velox.chat_settings.cache().budget == 2048


def test_switch_in_the_middle_of_a_reply_says_that_it_waits(driver) -> None:
    driver.velox.settings.set("sampling.max_tokens", 3000)
    driver.send("Go on")
    panel = driver.window.panel
    driver.until(lambda: driver.velox.memory.view.tokens_seen)
    panel.bounded.click()
    assert panel._pending.isVisible()
    assert panel.bounded.accessibleDescription() == panel._pending.text()
    with driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=10_000):
        driver.velox.chats.stop()
    assert panel._pending.isVisible()
    driver.velox.settings.set("sampling.max_tokens", 5)
    driver.ask("And now")
    assert not panel._pending.isVisible()
    assert not driver.velox.memory.view.bounded


def test_suggested_budget_is_shown_with_its_sum_and_taken_over(open_velox) -> None:
    driver = open_velox()
    driver.velox.memory._total_nbytes = 16 << 30
    driver.velox.memory.set_model(driver.velox.models.info)
    driver.velox.menus.suggestion.trigger()
    box = driver.window.findChild(QMessageBox)
    assert box.text() == "2,048 tokens are suggested for this computer."
    assert "From 512 to 8,192 tokens make sense" in box.informativeText()
    move_budget(driver, 64)
    box.button(QMessageBox.StandardButton.Ok).click()
    assert driver.window.panel.budget.value() == 2048
