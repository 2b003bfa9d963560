"""The list of chats, wired to the store."""

import pytest
from PySide6.QtCore import QPoint, Qt

from app.models.chat_roles import ChatRole
from tests.fake_engine import FakeScript


@pytest.fixture
def driver(open_velox):
    driver = open_velox(FakeScript(reply="Here you are."))
    for text in ("Plan a trip to Lisbon", "Explain sourdough timing"):
        driver.velox.chats.new_chat()
        driver.ask(text)
        driver.until(lambda text=text: text in driver.titles)
    return driver


def row_of(driver, title: str):
    model = driver.window.sidebar.list.model()
    return model.index(driver.titles.index(title), 0)


def test_chats_are_listed_newest_first_and_the_open_one_is_marked(driver) -> None:
    assert driver.titles == ["Today", "Explain sourdough timing", "Plan a trip to Lisbon"]
    driver.until(lambda: driver.window.sidebar.current_chat() == driver.chat_id)


def test_clicked_chat_opens(driver) -> None:
    driver.window.sidebar.list.setCurrentIndex(row_of(driver, "Plan a trip to Lisbon"))
    driver.until(lambda: driver.texts[:1] == ["Plan a trip to Lisbon"])


def test_keyboard_walks_through_the_list_and_return_goes_to_the_composer(driver, qtbot) -> None:
    sidebar, edit = driver.window.sidebar, driver.window.composer.edit
    sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(sidebar.list.hasFocus)
    for key, first in (
        (Qt.Key.Key_Down, "Plan a trip to Lisbon"),
        (Qt.Key.Key_Up, "Explain sourdough timing"),
    ):
        qtbot.keyClick(sidebar.list, key)
        driver.until(lambda first=first: driver.texts[:1] == [first])
        assert sidebar.list.hasFocus()
    qtbot.keyClick(sidebar.list, Qt.Key.Key_Return)
    qtbot.waitUntil(edit.hasFocus)


def test_search_shows_snippets_and_opens_the_message(driver) -> None:
    driver.window.sidebar.search.setText("lisbon")
    driver.until(lambda: driver.titles[:1] == ["Plan a trip to Lisbon"])
    index = row_of(driver, "Plan a trip to Lisbon")
    snippets = [
        driver.window.sidebar.list.model().index(row, 0).data(ChatRole.PREVIEW)
        for row in range(len(driver.titles))
    ]
    assert "Plan a trip to Lisbon" in snippets
    driver.window.sidebar.list.setCurrentIndex(index)
    driver.until(lambda: driver.texts[:1] == ["Plan a trip to Lisbon"])
    driver.window.sidebar.search.clear()
    driver.until(lambda: "Today" in driver.titles)
    assert driver.window.sidebar.current_chat() == driver.chat_id


def test_found_message_of_another_version_is_shown(driver) -> None:
    driver.window.transcript.edit_requested.emit(driver.ids[0], "Explain rye timing")
    driver.until(lambda: driver.texts[0] == "Explain rye timing")
    driver.until(lambda: not driver.velox.client.busy)
    driver.window.sidebar.search.setText("explain sourdough")
    model = driver.window.sidebar.list.model
    driver.until(lambda: "sourdough" in str(model().index(0, 0).data(ChatRole.PREVIEW)))
    driver.window.sidebar.list.setCurrentIndex(model().index(0, 0))
    driver.until(lambda: driver.texts == ["Explain sourdough timing", "Here you are."])
    assert (driver.view(0).version, driver.view(0).version_count) == (1, 2)


def test_found_word_far_down_a_message_is_brought_into_view(open_velox) -> None:
    driver = open_velox(
        FakeScript(reply="A line.\n\n" * 300 + "The needle.\n\n" + "More.\n\n" * 300)
    )
    driver.ask("Go on")
    driver.window.sidebar.search.setText("needle")
    model = driver.window.sidebar.list.model
    driver.until(lambda: "needle" in str(model().index(0, 0).data(ChatRole.PREVIEW)))
    driver.window.sidebar.list.setCurrentIndex(model().index(0, 0))
    body = driver.window.transcript.message_widget(driver.ids[1]).body
    place = driver.view(1).text.index("needle")

    def is_in_view() -> bool:
        top = body.range_top(place, place + 6)
        y = body.mapTo(driver.window.transcript.viewport(), QPoint(0, round(top or 0))).y()
        return top is not None and 0 <= y < driver.window.transcript.viewport().height()

    driver.until(is_in_view)


def test_empty_list_says_so(open_velox) -> None:
    driver = open_velox()
    chats = driver.window.sidebar.list
    assert chats.placeholder() == "Your chats will be listed here"
    driver.ask("Hello")
    driver.until(lambda: chats.placeholder() == "")
    driver.window.sidebar.search.setText("xyzzy")
    driver.until(lambda: chats.placeholder() == "Nothing found")


def test_tip_of_a_chat_is_its_title_and_never_markup(driver) -> None:
    index = row_of(driver, "Explain sourdough timing")
    index.model().setData(index, "<b>Bread</b>", Qt.ItemDataRole.EditRole)
    driver.until(lambda: "<b>Bread</b>" in driver.titles)
    chats = driver.window.sidebar.list
    tip = chats.itemDelegate().tip(row_of(driver, "<b>Bread</b>"))
    assert tip == "<span>&lt;b&gt;Bread&lt;/b&gt;</span>"


def test_pinned_chat_stands_on_top(driver) -> None:
    chat_id = row_of(driver, "Plan a trip to Lisbon").data(ChatRole.CHAT_ID)
    driver.window.sidebar.pin_requested.emit(chat_id, True)
    driver.until(lambda: driver.titles[:2] == ["Pinned", "Plan a trip to Lisbon"])


def test_renamed_chat_has_its_new_title_in_list_and_toolbar(driver) -> None:
    index = row_of(driver, "Explain sourdough timing")
    index.model().setData(index, "Bread", Qt.ItemDataRole.EditRole)
    driver.until(lambda: "Bread" in driver.titles)
    assert driver.window.toolbar.title.toolTip() == "Bread"


def test_deleted_chat_comes_back_with_undo(driver) -> None:
    driver.velox.menus.delete_chat.trigger()
    driver.until(lambda: driver.texts[:1] == ["Plan a trip to Lisbon"])
    driver.until(lambda: driver.titles == ["Today", "Plan a trip to Lisbon"])
    assert "Explain sourdough timing" in driver.window.banners.message("undo")
    driver.window.banners.banner("undo").action_button.click()
    driver.until(lambda: driver.texts[:1] == ["Explain sourdough timing"])
    driver.until(lambda: "Explain sourdough timing" in driver.titles)


def test_chat_deleted_while_it_streams_keeps_its_text_for_undo(open_velox) -> None:
    driver = open_velox(FakeScript(reply="word " * 10_000, tokens_per_s=200))
    driver.send("Go on and on")
    driver.until(lambda: len(driver.ids) == 2 and driver.view(1).text)
    with driver.qtbot.waitSignal(driver.velox.client.reply_stopped, timeout=5000):
        driver.velox.menus.delete_chat.trigger()
    driver.until(lambda: driver.ids == [] and driver.titles == [])
    driver.velox.menus.undo_delete.trigger()
    driver.until(lambda: len(driver.ids) == 2)
    assert driver.view(1).text.startswith("word")
    assert driver.view(1).state == "stopped"


def test_previous_and_next_walk_through_the_list(driver) -> None:
    driver.velox.menus.next_chat.trigger()
    driver.until(lambda: driver.texts[:1] == ["Plan a trip to Lisbon"])
    driver.velox.menus.previous_chat.trigger()
    driver.until(lambda: driver.texts[:1] == ["Explain sourdough timing"])
