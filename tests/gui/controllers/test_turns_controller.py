"""Regenerate, continue, edit, versions, delete and undo."""

import itertools

import pytest
from PySide6.QtGui import QGuiApplication

from tests.fake_engine import FakeScript
from velox_core.engine.events import ReplyRequest


@pytest.fixture
def driver(open_velox):
    """Two finished turns; each reply is another."""
    numbers = itertools.count(1)
    driver = open_velox(FakeScript(reply=lambda _request: f"reply {next(numbers)}"))
    driver.ask("First question")
    driver.ask("Second question")
    return driver


def wait_saved(driver):
    return driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=5000)


def test_regenerate_adds_a_version_and_keeps_the_old_one(driver) -> None:
    transcript = driver.window.transcript
    with wait_saved(driver):
        transcript.regenerate_requested.emit(driver.ids[3])
    view = driver.view(3)
    assert (view.text, view.version, view.version_count) == ("reply 3", 2, 2)
    transcript.version_requested.emit(driver.ids[3], -1)
    driver.until(lambda: driver.view(3).text == "reply 2")
    assert driver.view(3).version == 1


def test_edit_branches_and_nothing_is_erased(driver) -> None:
    transcript = driver.window.transcript
    with wait_saved(driver):
        transcript.edit_requested.emit(driver.ids[0], "Another question")
    assert driver.texts == ["Another question", "reply 3"]
    assert (driver.view(0).version, driver.view(0).version_count) == (2, 2)
    transcript.version_requested.emit(driver.ids[0], -1)
    driver.until(lambda: len(driver.ids) == 4)
    assert driver.texts == ["First question", "reply 1", "Second question", "reply 2"]


def test_continue_goes_on_in_the_same_message(open_velox) -> None:
    requests: list[ReplyRequest] = []

    def reply(request: ReplyRequest) -> str:
        requests.append(request)
        return "one two three four" if len(requests) == 1 else " five six"

    driver = open_velox(FakeScript(reply=reply))
    driver.velox.settings.set("sampling.max_tokens", 2)
    driver.ask("Count")
    before = driver.ids
    with wait_saved(driver):
        driver.window.transcript.continue_requested.emit(before[1])
    assert driver.ids == before
    assert driver.view(1).text == "one two five six"
    assert requests[1].turns[-1].content == "one two"
    assert requests[1].turns[-1].role == "assistant"


def test_deleted_message_comes_back_with_undo(driver) -> None:
    driver.window.transcript.delete_requested.emit(driver.ids[1])
    driver.until(lambda: len(driver.ids) == 3)
    assert driver.texts == ["First question", "Second question", "reply 2"]
    driver.until(lambda: driver.velox.menus.undo_delete.isEnabled())
    driver.velox.menus.undo_delete.trigger()
    driver.until(lambda: len(driver.ids) == 4)
    assert driver.texts == ["First question", "reply 1", "Second question", "reply 2"]
    assert not driver.velox.menus.undo_delete.isEnabled()


def test_message_deleted_while_it_streams_is_forgotten(open_velox) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    with driver.qtbot.waitSignal(driver.velox.client.reply_stopped, timeout=5000):
        driver.window.transcript.delete_requested.emit(driver.ids[1])
    driver.until(lambda: driver.texts == ["Go on and on"])
    assert not driver.velox.replies.is_busy(driver.chat_id)


def test_copy_puts_the_raw_text_on_the_clipboard(driver) -> None:
    driver.velox.menus.copy_reply.trigger()
    assert QGuiApplication.clipboard().text() == "reply 2"


def test_unknown_message_is_ignored(driver) -> None:
    transcript = driver.window.transcript
    for signal in (transcript.regenerate_requested, transcript.continue_requested):
        signal.emit("gone")
    transcript.delete_requested.emit("gone")
    transcript.version_requested.emit("gone", 1)
    assert len(driver.ids) == 4 and driver.problem == ""
