from datetime import date, datetime

import pytest
from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QListView

from app.models.chat_list import ChatListModel
from app.models.chat_roles import ChatRole
from app.models.search_list import SearchListModel
from app.storage.types import ChatSummary, SearchHit

TODAY = date(2026, 5, 20)


def chat(name: str, day: date = TODAY, pinned: bool = False, title: str | None = None):
    when = datetime(day.year, day.month, day.day, 12).timestamp()
    return ChatSummary(name, name if title is None else title, pinned, when, when, "preview")


def shown(model) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


@pytest.fixture
def model(qtmodeltester) -> ChatListModel:
    return ChatListModel(today=lambda: TODAY)


def test_sections_follow_the_date(model, qtmodeltester) -> None:
    model.set_chats(
        [
            chat("p", date(2024, 1, 1), pinned=True),
            chat("t"),
            chat("y", date(2026, 5, 19)),
            chat("w", date(2026, 5, 13)),
            chat("m", date(2026, 4, 20)),
            chat("march", date(2026, 3, 2)),
            chat("old", date(2025, 3, 2)),
        ]
    )
    assert shown(model) == [
        *("Pinned", "p", "Today", "t", "Yesterday", "y", "Previous 7 Days", "w"),
        *("Previous 30 Days", "m", "March", "march", "March 2025", "old"),
    ]
    qtmodeltester.check(model)


def test_headings_cannot_be_selected_and_chats_can(model) -> None:
    model.set_chats([chat("a")])
    heading, row = model.index(0), model.index(1)
    assert heading.data(ChatRole.IS_SECTION) is True
    assert not heading.flags() & Qt.ItemFlag.ItemIsSelectable
    assert row.data(ChatRole.IS_SECTION) is False
    assert row.flags() & Qt.ItemFlag.ItemIsSelectable
    assert row.data(ChatRole.CHAT_ID) == "a"
    assert row.data(ChatRole.PREVIEW) == "preview"


def test_new_lists_keep_selection_and_pass_the_model_test(model, qtmodeltester, qtbot) -> None:
    view = QListView()
    qtbot.addWidget(view)
    view.setModel(model)
    qtmodeltester.check(model)  # watches every later change, too
    yesterday = date(2026, 5, 19)
    model.set_chats([chat("a"), chat("b"), chat("c", yesterday)])
    kept = model.index_of("c")
    view.selectionModel().select(kept, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    persistent = QPersistentModelIndex(kept)
    for chats, expected in (
        ([chat("c"), chat("a"), chat("b")], ["Today", "c", "a", "b"]),
        ([chat("b", pinned=True), chat("c"), chat("d")], ["Pinned", "b", "Today", "c", "d"]),
        ([chat("c", title="Renamed")], ["Today", "Renamed"]),
    ):
        model.set_chats(chats)
        assert shown(model) == expected
        assert persistent.data(ChatRole.CHAT_ID) == "c"
        assert [i.data(ChatRole.CHAT_ID) for i in view.selectedIndexes()] == ["c"]
    model.set_chats([])
    assert shown(model) == []


def test_sections_move_on_at_midnight(qtbot) -> None:
    days = [TODAY]
    model = ChatListModel(today=lambda: days[-1])
    model.set_chats([chat("a")])
    days.append(date(2026, 5, 21))
    with qtbot.waitSignal(model.rowsInserted):
        model._day_timer.start(0)
    assert shown(model) == ["Yesterday", "a"]


def test_editing_a_title_asks_for_a_rename(model, qtbot) -> None:
    model.set_chats([chat("a", title="")])
    row = model.index_of("a")
    assert row.data() == "New Chat"
    with qtbot.waitSignal(model.rename_requested) as asked:
        assert model.setData(row, "Mine")
    assert asked.args == ["a", "Mine"]
    assert not model.setData(model.index(0), "no heading")
    assert not model.index_of("unknown").isValid()


def test_search_results_show_snippets(qtmodeltester) -> None:
    model = SearchListModel()
    qtmodeltester.check(model)
    model.set_hits(
        [
            SearchHit("c", "Trip", "", "user", "Trip", ((0, 4),), 1.0),
            SearchHit("c", "Trip", "m", "assistant", "a trip", ((2, 6),), 2.0),
        ]
    )
    title, message = model.index(0), model.index(1)
    assert (title.data(), title.data(ChatRole.PREVIEW)) == ("Trip", "")
    assert message.data(ChatRole.PREVIEW) == "a trip"
    assert message.data(ChatRole.HIGHLIGHTS) == ((2, 6),)
    assert message.data(ChatRole.MESSAGE_ID) == "m"
