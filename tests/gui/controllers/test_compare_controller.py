"""Bounded and full cache side by side."""

import pytest

from app.models.comparison import first_difference
from tests.fake_engine import FakeScript


def answer(request):
    """The bounded cache forgets one word."""
    fruit = "plums" if request.cache.bounded else "pears"
    return f"We have apples and {fruit} here, {request.sampling.seed}."


@pytest.fixture
def driver(open_velox):
    driver = open_velox(FakeScript(reply=answer))
    driver.velox.chat_settings.set("memory.budget", 64)
    driver.ask("What fruit is there?")
    driver.velox.compare.open()
    return driver


def window(driver):
    return driver.velox.compare.window


def compare(driver):
    window(driver).button.click()
    driver.until(lambda: window(driver).verdict.text())


def test_last_question_is_offered_and_both_answers_shown_with_the_same_seed(driver):
    assert window(driver).prompt.toPlainText() == "What fruit is there?"
    compare(driver)
    bounded, full = window(driver).bounded.text(), window(driver).full.text()
    assert bounded.startswith("We have apples and plums here, ")
    assert full.startswith("We have apples and pears here, ")
    assert bounded.split(", ")[1] == full.split(", ")[1]


def test_first_difference_is_marked_and_told(driver):
    compare(driver)
    for column in (window(driver).bounded, window(driver).full):
        word, rest = column.view.extraSelections()
        assert word.cursor.selectedText() in ("lums", "ears")
        assert rest.cursor.selectedText().startswith(" here, ")
        assert rest.cursor.selectionEnd() == len(column.text())
    assert "first 20 characters" in window(driver).verdict.text()
    assert window(driver).bounded.figures.values()[0] != "–"


def test_nothing_is_saved_in_the_chat(driver):
    before = driver.texts
    compare(driver)
    assert driver.texts == before
    assert len(driver.titles) == 2  # a heading and the one chat


def test_comparison_can_be_stopped(open_velox):
    driver = open_velox(FakeScript(reply="word " * 500, tokens_per_s=50))
    driver.velox.compare.open()
    window(driver).prompt.setPlainText("Talk")
    window(driver).button.click()
    driver.until(lambda: window(driver).bounded.text())
    window(driver).button.click()
    driver.until(lambda: not driver.velox.client.busy)
    assert window(driver).button.text() == "Compare"


def test_nothing_of_a_comparison_stays_in_the_engine(driver):
    forgotten = []
    driver.velox.client.chat_forgotten.connect(forgotten.append)
    compare(driver)
    driver.until(lambda: len(forgotten) == 2)
    assert set(driver.velox.client._worker._engine._seen) == {driver.chat_id}


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [("", "", -1), ("same", "same", -1), ("ab", "abc", 2), ("abx", "aby", 2), ("x", "y", 0)],
)
def test_first_difference_is_found(first, second, place):
    assert first_difference(first, second) == place
