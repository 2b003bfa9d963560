"""What the cache must keep reaches the engine with each request and at once when it changes."""

import pytest

from tests.fake_engine import FakeScript
from velox_core.engine.events import ReplyRequest


@pytest.fixture
def requests() -> list[ReplyRequest]:
    return []


@pytest.fixture
def driver(open_velox, requests):
    def reply(request: ReplyRequest) -> str:
        requests.append(request)
        return f"reply {len(requests)}"

    driver = open_velox(FakeScript(reply=reply))
    driver.velox.settings.set("chat.system_prompt", "Be brief.")
    driver.ask("First")
    return driver


@pytest.fixture
def told(driver, monkeypatch):
    """The pins that were told between requests."""
    told: list[tuple[str, frozenset[str]]] = []
    monkeypatch.setattr(driver.velox.client, "set_pins", lambda *pins: told.append(pins))
    return told


def pinned(request: ReplyRequest) -> list[str]:
    return [turn.message_id for turn in request.turns if turn.pinned]


def test_system_prompt_is_kept_unless_switched_off(driver, requests, told) -> None:
    assert (requests[0].turns[0].role, pinned(requests[0])) == ("system", ["system"])
    driver.velox.settings.set("memory.protect_system_prompt", False)
    assert told == [(driver.chat_id, frozenset())]
    driver.ask("Second")
    assert pinned(requests[1]) == []


def test_pins_are_told_at_once_and_go_along_with_the_next_request(driver, requests, told) -> None:
    question, answer = driver.ids
    driver.window.transcript.pin_toggled.emit(answer, True)
    assert told == [(driver.chat_id, frozenset({"system", answer}))]
    driver.ask("Second")
    assert pinned(requests[1]) == ["system", answer]
    driver.window.transcript.pin_toggled.emit(answer, False)
    assert told[-1] == (driver.chat_id, frozenset({"system"}))
    assert len(told) == 2
    driver.ask("Third")
    assert pinned(requests[2]) == ["system"]
    assert question not in pinned(requests[2])


def test_opening_another_chat_tells_nothing(driver, told) -> None:
    first, answer = driver.chat_id, driver.ids[1]
    driver.window.transcript.pin_toggled.emit(answer, True)
    driver.velox.chats.new_chat()
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.ids and driver.view(1).pinned)
    assert [chat_id for chat_id, _pins in told] == [first]


def test_pin_that_does_not_fit_is_refused_and_taken_back(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 100)))
    driver.velox.settings.set("memory.budget", 64)
    driver.ask("First")
    question, answer = driver.ids
    driver.window.transcript.pin_toggled.emit(question, True)
    driver.window.transcript.pin_toggled.emit(answer, True)
    driver.until(lambda: driver.problem)
    assert driver.problem == "101 pinned do not fit."
    driver.until(lambda: not driver.view(1).pinned)
    assert driver.view(0).pinned
    assert [record.pinned for record in driver.velox.open_chat.path] == [True, False]
