"""The shading of what is remembered, on the scripted engine: sinks and the newest words stay."""

import pytest

from app.models.remembered import Remembered
from tests.fake_engine import FakeScript


@pytest.fixture
def driver(open_velox, monkeypatch):
    """A chat of 6 + 94 words on a budget of 64, and what was shaded in it."""
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 94)))
    driver.shaded = {}
    transcript = driver.window.transcript
    original = transcript.set_shading

    def set_shading(message_id, ranges):
        driver.shaded[message_id] = ranges
        original(message_id, ranges)

    monkeypatch.setattr(transcript, "set_shading", set_shading)
    driver.velox.settings.set("memory.budget", 64)
    driver.ask("one two three four five six")
    return driver


def test_switch_shades_the_words_that_are_held(driver) -> None:
    assert driver.shaded == {}
    driver.window.panel.remembered.click()
    driver.until(lambda: len(driver.shaded) == 2)
    question, reply = (driver.shaded[message_id] for message_id in driver.ids)
    assert question[0] == (0, 3, 1.0)
    assert [share for _, _, share in question] == [1, 1, 1, 1, 0, 0]
    assert [share for _, _, share in reply] == [0.0] * 34 + [1.0] * 60
    assert driver.velox.menus.show_remembered.isChecked()
    driver.until(lambda: driver.view(1).remembered == 0.64)
    assert driver.view(0).remembered == 0.67


def test_line_stands_where_eviction_began_and_tip_tells_the_share(driver) -> None:
    driver.velox.menus.show_remembered.trigger()
    driver.until(lambda: len(driver.shaded) == 2)
    controller = driver.velox.remembered
    assert controller._tip(driver.ids[0], 0) == "held by 100 % of the cache, token 1"
    assert controller._tip(driver.ids[0], 24) == "held by 0 % of the cache, token 6"
    assert controller._tip("gone", 0) == ""
    assert controller._divider == driver.ids[1]


def test_switch_takes_everything_away_again(driver) -> None:
    driver.velox.menus.show_remembered.trigger()
    driver.until(lambda: driver.view(1).remembered is not None)
    driver.velox.menus.show_remembered.trigger()
    assert list(driver.shaded.values()) == [None, None]
    assert driver.view(1).remembered is None
    assert not driver.window.panel.remembered.isChecked()


def test_another_chat_shows_nothing_of_this_one(driver) -> None:
    driver.velox.menus.show_remembered.trigger()
    driver.until(lambda: len(driver.shaded) == 2)
    driver.velox.chats.new_chat()
    assert driver.velox.remembered._measured == {}


def test_system_prompt_stands_above_the_chat_and_is_shaded(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 94)))
    driver.velox.settings.set("chat.system_prompt", "Be very brief.")
    driver.velox.settings.set("memory.budget", 64)
    driver.ask("one two")
    question, reply = driver.ids
    driver.velox.menus.show_remembered.trigger()
    driver.until(lambda: driver.ids == ["system", question, reply])
    driver.until(lambda: driver.view(0).remembered is not None)
    assert (driver.view(0).text, driver.view(0).remembered) == ("Be very brief.", 1.0)
    driver.velox.chat_settings.set("chat.system_prompt", "Be long.")
    assert driver.view(0).text == "Be very brief."
    driver.ask("three")
    driver.until(lambda: driver.view(0).text == "Be long.")
    driver.velox.menus.show_remembered.trigger()
    assert "system" not in driver.ids


def test_words_take_the_mean_of_their_tokens() -> None:
    measured = Remembered((5, 6, 7), (0, 3, 7), (3, 7, 9), (1.0, 0.5, 0.25))
    assert measured.words("abcdef gh more") == [(0, 6, 0.75), (7, 9, 0.25)]
    assert measured.token_at(3) == 1
    assert measured.token_at(12) is None
    assert measured.share == pytest.approx(1.75 / 3)
