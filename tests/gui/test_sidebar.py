"""The sidebar shows the chats' model and tells what is wanted."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu

from app.models.chat_list import ChatListModel
from app.storage.types import ChatSummary
from app.widgets.sidebar import Sidebar


@pytest.fixture
def sidebar(qtbot):
    widget = Sidebar()
    qtbot.addWidget(widget)
    model = ChatListModel(widget)
    model.set_chats(
        [
            ChatSummary("a", "Trip to Lisbon", True, 1.0, 2.0, "For the third day"),
            ChatSummary("b", "Regex", False, 1.0, 1.0, "You can\nanchor"),
        ]
    )
    widget.set_model(model)
    widget.resize(235, 400)
    widget.show()
    return widget


def test_a_click_on_a_chat_tells_its_id(sidebar, qtbot):
    index = sidebar.list.model().index_of("b")
    at = sidebar.list.visualRect(index).center()
    with qtbot.waitSignal(sidebar.chat_selected) as told:
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert told.args == ["b", ""]


def test_marking_a_chat_tells_nothing(sidebar, qtbot):
    with qtbot.assertNotEmitted(sidebar.chat_selected):
        sidebar.select(sidebar.list.model().index_of("a"))
    assert sidebar.current_chat() == "a"


def test_down_in_the_search_field_goes_to_the_first_chat(sidebar, qtbot):
    with qtbot.waitSignal(sidebar.chat_selected) as told:
        qtbot.keyClick(sidebar.search, Qt.Key.Key_Down)
    assert told.args == ["a", ""]


def test_escape_leaves_a_search(sidebar, qtbot):
    with qtbot.waitSignal(sidebar.search_changed) as told:
        sidebar.search.setText("lisbon")
    assert told.args == ["lisbon"]
    qtbot.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert sidebar.search.text() == ""


def test_delete_key_asks_to_delete_the_marked_chat(sidebar, qtbot):
    sidebar.select(sidebar.list.model().index_of("b"))
    with qtbot.waitSignal(sidebar.delete_requested) as told:
        qtbot.keyClick(sidebar.list, Qt.Key.Key_Delete)
    assert told.args == ["b"]


def test_a_heading_cannot_be_chosen(sidebar, qtbot):
    at = sidebar.list.visualRect(sidebar.list.model().index(0, 0)).center()
    with qtbot.assertNotEmitted(sidebar.chat_selected):
        qtbot.mouseClick(sidebar.list.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_a_right_click_opens_the_menu_and_not_the_chat(sidebar, qtbot, qapp):
    sidebar.select(sidebar.list.model().index_of("a"))
    at = sidebar.list.visualRect(sidebar.list.model().index_of("b")).center()
    viewport = sidebar.list.viewport()
    with qtbot.assertNotEmitted(sidebar.chat_selected, wait=10):
        qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=at)
    assert sidebar.current_chat() == "a"
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, viewport.mapToGlobal(at))
    qapp.sendEvent(viewport, asked)
    menu = sidebar.findChild(QMenu)
    with qtbot.waitSignal(sidebar.delete_requested) as told:
        menu.actions()[-1].trigger()
    assert told.args == ["b"]
    menu.close()
