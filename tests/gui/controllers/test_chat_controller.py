"""Sending, streaming, saving and reopening, through the real window and store."""

import sqlite3

from PySide6.QtCore import Qt

from tests.fake_engine import FakeScript
from velox_core.engine.events import ReplyRequest


def stored(home) -> list[tuple[str, str, str]]:
    with sqlite3.connect(home / "data" / "chats.db") as connection:
        return connection.execute(
            "SELECT role, content, state FROM messages WHERE deleted_at IS NULL ORDER BY seq"
        ).fetchall()


def test_reply_streams_and_is_saved_with_its_figures(open_velox, home) -> None:
    driver = open_velox(FakeScript(reply="one two three"))
    driver.ask("Count to three, please")
    assert driver.texts == ["Count to three, please", "one two three"]
    reply = driver.view(1)
    assert reply.state == "done"
    assert "tok/s" in reply.stats[0]
    assert "Generated: 3" in reply.stats_detail
    assert stored(home) == [
        ("user", "Count to three, please", "complete"),
        ("assistant", "one two three", "complete"),
    ]
    assert driver.window.composer.text() == ""


def test_message_is_saved_before_its_reply_is_asked_for(open_velox, home) -> None:
    seen = []

    def reply(_request: ReplyRequest) -> str:
        seen.extend(stored(home))
        return "yes"

    open_velox(FakeScript(reply=reply)).ask("Are you there?")
    assert seen == [("user", "Are you there?", "complete"), ("assistant", "", "partial")]


def test_chat_is_there_again_after_a_restart(open_velox) -> None:
    first = open_velox()
    first.ask("Tell me about the sea")
    assert first.titles[1:] == ["Tell me about the sea"]
    texts = first.texts
    assert first.velox.close()
    second = open_velox()
    second.until(lambda: second.texts == texts)
    assert second.titles[1:] == ["Tell me about the sea"]
    assert second.window.toolbar.title.toolTip() == "Tell me about the sea"


def test_open_chat_is_noted_at_once_for_a_start_after_a_crash(open_velox, home) -> None:
    driver = open_velox()
    driver.ask("Tell me about the sea")
    sea = driver.chat_id
    noted = lambda: driver.velox.settings.get("window.last_chat")  # noqa: E731
    assert noted() == sea
    driver.velox.chats.new_chat()
    driver.ask("And the land")
    assert noted() == driver.chat_id != sea
    driver.velox.chats.open_chat(sea)
    driver.until(lambda: noted() == sea)
    stored = home / "config" / "settings.json"
    driver.until(lambda: stored.exists() and sea in stored.read_text())


def test_history_goes_to_the_engine_without_empty_replies(open_velox) -> None:
    requests: list[ReplyRequest] = []

    def reply(request: ReplyRequest) -> str:
        requests.append(request)
        return "" if len(requests) == 1 else "fine"

    driver = open_velox(FakeScript(reply=reply))
    driver.velox.settings.set("chat.system_prompt", "Be brief.")
    driver.ask("First")
    driver.ask("Second")
    assert [(turn.role, turn.content) for turn in requests[1].turns] == [
        ("system", "Be brief."),
        ("user", "First"),
        ("user", "Second"),
    ]


def test_nothing_is_sent_for_an_empty_message(open_velox) -> None:
    driver = open_velox()
    driver.send(" \n ")
    assert not driver.velox.client.busy
    assert driver.ids == [] and driver.problem == ""


def test_huge_message_is_answered(open_velox) -> None:
    driver = open_velox()
    driver.ask("word " * 40_000)
    assert driver.texts[1] == "Hello from the fake engine."


def test_partial_reply_is_saved_while_it_streams(open_velox, home) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    driver.until(lambda: stored(home)[1][1].startswith("word"))
    assert stored(home)[1][2] == "partial"


def test_stop_keeps_what_has_come(open_velox, home) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    with driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=5000):
        driver.window.composer.stop_requested.emit()
    text = driver.view(1).text
    assert text.startswith("word") and driver.view(1).state == "stopped"
    assert stored(home)[1] == ("assistant", text, "stopped")


def test_escape_stops_wherever_the_keys_are(open_velox) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    driver.window.composer.edit.clearFocus()
    reply = driver.window.transcript.message_widget(driver.ids[1])
    with driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=5000):
        driver.qtbot.keyClick(reply.body, Qt.Key.Key_Escape)
    assert driver.view(1).state == "stopped"


def test_stop_acts_at_once_while_the_model_is_still_loading(open_velox) -> None:
    driver = open_velox(FakeScript(load_s=60), wait=False)
    driver.until(lambda: driver.velox.client.busy)
    driver.send("Hello")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).state == "waiting")
    driver.velox.menus.stop.trigger()
    assert driver.view(1).state == "stopped"
    assert not driver.velox.replies.is_busy(driver.chat_id)


def test_failed_reply_says_why_and_keeps_its_text(open_velox) -> None:
    driver = open_velox(FakeScript(reply="one two three four", reply_error="It broke; try again."))
    driver.ask("Count")
    view = driver.view(1)
    assert (view.state, view.error) == ("failed", "It broke; try again.")
    assert view.text == "one two"


def test_reply_goes_on_while_another_chat_is_open(open_velox) -> None:
    driver = open_velox(FakeScript(reply="word " * 60, tokens_per_s=100))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    chat_id = driver.chat_id
    with driver.qtbot.waitSignal(driver.velox.replies.saved, timeout=10_000):
        driver.velox.chats.new_chat()
        assert driver.ids == []
        driver.velox.chats.open_chat(chat_id)
        driver.until(lambda: len(driver.ids) == 2)
    assert driver.view(1).text == "word " * 60
    assert driver.view(1).state == "done"
