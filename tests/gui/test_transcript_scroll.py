"""The reader's place is kept; only who is at the end is taken along."""

import pytest
from PySide6.QtCore import Qt

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView
from app.widgets.transcript.end_button import EndButton
from tests.gui.transcript_samples import SECTION, chat


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 500)
    view.show()
    qtbot.waitExposed(view)
    return view


def place(view: TranscriptView, message_id: str) -> int:
    """Where a message begins on screen."""
    return view.message_widget(message_id).y()


def test_chat_opens_at_its_end(view):
    view.set_messages(chat(50))
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert view.follows


def test_stream_is_followed_at_the_end_only(view, qtbot):
    view.set_messages([*chat(20), MessageView("r", "assistant")])
    view.begin_stream("r")
    bar = view.verticalScrollBar()
    view.append_text("r", SECTION.format(n=1))
    qtbot.waitUntil(lambda: not view.busy)
    assert bar.value() == bar.maximum()
    bar.setValue(bar.value() - 300)
    first = view.visible_message_ids()[0]
    before = place(view, first)
    view.append_text("r", SECTION.format(n=2))
    qtbot.waitUntil(lambda: not view.busy)
    assert place(view, first) == before
    bar.setValue(bar.maximum())
    view.append_text("r", SECTION.format(n=3))
    qtbot.waitUntil(lambda: not view.busy)
    assert bar.value() == bar.maximum()


def test_scrolling_up_through_unmeasured_messages_jumps_nowhere(view, qtbot):
    view.set_messages(chat(300))
    bar = view.verticalScrollBar()
    for _ in range(60):
        first = view.visible_message_ids()[0]
        before = place(view, first)
        bar.setValue(bar.value() - 90)
        assert place(view, first) == before + 90
    qtbot.waitUntil(lambda: not view.busy)


def test_slow_machine_keeps_the_place_while_scrolling_up(view, qtbot, monkeypatch):
    # Nothing is drawn before it is seen, and only the beginning of a message at once.
    monkeypatch.setattr("app.widgets.transcript.scroller.NEAR_S", 0.0)
    monkeypatch.setattr("app.widgets.transcript.scroller.DRAW_S", 0.0)
    view.set_messages(chat(300))
    bar = view.verticalScrollBar()
    for _ in range(40):
        first = view.visible_message_ids()[0]
        before = place(view, first)
        bar.setValue(bar.value() - 90)
        assert place(view, first) == before + 90
        qtbot.waitUntil(lambda: not view.busy)
        assert place(view, first) == before + 90


def test_message_removed_above_keeps_the_place(view):
    view.set_messages(chat(60))
    view.scroll_to("m30")
    before = place(view, "m30")
    view.remove_message("m10")
    assert place(view, "m30") == before


def test_scroll_to_brings_a_far_message_into_view(view):
    view.set_messages(chat(400))
    view.scroll_to("m200")
    assert view.visible_message_ids()[0] == "m200"
    assert -1 <= place(view, "m200") <= 1


def test_narrower_window_keeps_the_first_message(view):
    view.set_messages(chat(100))
    view.scroll_to("m50")
    view.resize(420, 500)
    assert view.visible_message_ids()[0] == "m50"
    widget = view.message_widget("m50")
    assert widget.x() >= 0
    assert widget.geometry().right() <= view.viewport().width()


def test_divider_is_drawn_under_its_message(view, qtbot):
    view.set_messages(chat(4))
    qtbot.waitUntil(lambda: not view.busy)
    height = view.message_widget("m1").height()
    view.set_divider("m1", "The model now keeps 512 of 1,842 tokens")
    assert view.message_widget("m1").height() > height
    view.set_divider("m1", None)
    assert view.message_widget("m1").height() == height


def test_visible_messages_are_told(view, qtbot):
    view.set_messages(chat(100))
    with qtbot.waitSignal(view.visible_messages_changed):
        view.scroll_to("m10")
    assert "m10" in view.visible_message_ids()


def test_button_leads_back_to_the_end(view, qtbot):
    view.set_messages(chat(50))
    button = view.findChild(EndButton)
    assert button.isHidden()
    view.scroll_to("m10")
    assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert view.follows
    assert button.isHidden()


def test_scroll_bar_moves_no_text(view):
    view.set_messages(chat(1))
    before = view.message_widget("m0").geometry()
    view.set_messages(chat(60))
    view.scroll_to("m0")
    after = view.message_widget("m0").geometry()
    assert (after.left(), after.width()) == (before.left(), before.width())


def test_keys_scroll_the_transcript(view, qtbot):
    view.set_messages(chat(60))
    bar = view.verticalScrollBar()
    for key, moves in [("Home", -1), ("PageDown", 1), ("Down", 1), ("Up", -1), ("End", 1)]:
        before = bar.value()
        qtbot.keyClick(view, Qt.Key[f"Key_{key}"])
        assert (bar.value() - before) * moves > 0
    assert view.follows
