"""Settings that change how the window behaves, set while it is open."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit

from app.controllers.model_controller import ModelState
from app.main import Velox
from tests.fake_engine import FakeScript, fake_engine_factory

NO_KEY = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
COMMAND = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def velox(tmp_path, monkeypatch, qapp, qtbot):
    monkeypatch.setenv("VELOX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VELOX_STARTER", str(tmp_path / "no starter"))
    velox = Velox(qapp, fake_engine_factory(FakeScript(reply="Some words.")))
    velox.start()
    velox.models.load(str(tmp_path))
    qtbot.waitUntil(lambda: velox.models.state is ModelState.READY)
    yield velox
    assert velox.close()
    velox.window.deleteLater()


def stats(velox, place):
    transcript = velox.window.transcript
    return transcript.message(transcript.message_ids()[place]).stats


def ask(velox, qtbot):
    velox.window.composer.set_text("Hello")
    with qtbot.waitSignal(velox.replies.saved):
        velox.window.composer.send_requested.emit()


def test_send_key_changes_at_once(velox, qtbot) -> None:
    composer = velox.window.composer
    velox.settings.set("chat.send_key", "command_return")
    qtbot.keyClicks(composer.edit, "a")
    with qtbot.assertNotEmitted(composer.send_requested):
        for modifier in (NO_KEY, SHIFT):
            qtbot.keyClick(composer.edit, Qt.Key.Key_Return, modifier)
    assert composer.text() == "a\n\n"
    with qtbot.waitSignal(velox.replies.saved):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return, COMMAND)
    velox.settings.set("chat.send_key", "return")
    with qtbot.waitSignal(velox.replies.saved):
        qtbot.keyClicks(composer.edit, "b")
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)


def test_send_key_holds_for_edited_messages_too(velox, qtbot) -> None:
    ask(velox, qtbot)
    transcript = velox.window.transcript
    velox.settings.set("chat.send_key", "command_return")
    question = transcript.message_ids()[0]
    transcript.begin_edit(question)
    field = transcript.message_widget(question).findChild(QPlainTextEdit)
    field.setPlainText("Other words")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert transcript.message_widget(question).editing
    velox.settings.set("chat.send_key", "return")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    transcript.begin_edit(question)
    field = transcript.message_widget(question).findChildren(QPlainTextEdit)[-1]
    field.setPlainText("Other words")
    with qtbot.waitSignal(velox.replies.saved):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert transcript.message(transcript.message_ids()[0]).text == "Other words"


def test_button_names_the_key_that_sends(velox) -> None:
    button = velox.window.composer.send_button
    assert button.toolTip() == "Send (Return)"
    velox.settings.set("chat.send_key", "command_return")
    assert button.toolTip() in ("Send (⌘Return)", "Send (Ctrl Return)")


def test_numbers_below_replies_go_and_come_back(velox, qtbot) -> None:
    ask(velox, qtbot)
    assert any("tok/s" in part for part in stats(velox, 1))
    velox.settings.set("appearance.show_stats", False)
    assert stats(velox, 1) == ()
    ask(velox, qtbot)
    assert stats(velox, 3) == ()
    velox.settings.set("appearance.show_stats", True)
    assert stats(velox, 1) != ()
    assert stats(velox, 3) != ()


def test_memory_kept_for_reuse_goes_along_with_the_next_load(velox, monkeypatch, tmp_path) -> None:
    loads: list[tuple[str, int, int]] = []
    monkeypatch.setattr(velox.client, "load", lambda *load: loads.append(load) or "request")
    velox.settings.set("memory.reuse_limit_gb", 0.5)
    velox.settings.set("memory.resume_limit_gb", 1.5)
    velox.models.load(str(tmp_path))
    assert loads == [(str(tmp_path), 500_000_000, 1_500_000_000)]
