"""What a person asks of a message reaches the signals, with its id."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QToolButton

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView

CHAT = [
    MessageView("u", "user", "Hi **you**", version=1, version_count=2),
    MessageView("a", "assistant", "Hello *there*", state="cut", stats=("9.0 tok/s",)),
]


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 500)
    view.set_messages(CHAT)
    view.show()
    qtbot.waitExposed(view)
    return view


def button(view: TranscriptView, message_id: str, name: str) -> QToolButton:
    """The button of a message with this accessible name."""
    widget = view.message_widget(message_id)
    return next(b for b in widget.findChildren(QToolButton) if b.accessibleName() == name)


@pytest.mark.parametrize(
    ("message_id", "name", "signal", "arguments"),
    [
        ("a", "Regenerate", "regenerate_requested", ["a"]),
        ("a", "Continue this reply", "continue_requested", ["a"]),
        ("a", "Pin: never forget this", "pin_toggled", ["a", True]),
        ("u", "Next version", "version_requested", ["u", 1]),
        ("u", "Copy message", "copy_requested", ["u"]),
    ],
)
def test_button_sends_the_request(view, qtbot, message_id, name, signal, arguments):
    with qtbot.waitSignal(getattr(view, signal)) as blocker:
        qtbot.mouseClick(button(view, message_id, name), Qt.MouseButton.LeftButton)
    assert blocker.args == arguments


def test_copy_message_copies_the_raw_text(view, qtbot):
    qtbot.mouseClick(button(view, "a", "Copy message"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Hello *there*"


def test_first_version_has_no_previous_one(view):
    assert not button(view, "u", "Previous version").isEnabled()


RETURN, COMMAND = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize(
    ("with_command", "keys"), [(False, RETURN), (False, COMMAND), (True, COMMAND)]
)
def test_edit_sends_the_new_text_once_with_the_key_of_the_settings(view, qtbot, with_command, keys):
    view.set_sends_with_command(with_command)
    qtbot.mouseClick(button(view, "u", "Edit message"), Qt.MouseButton.LeftButton)
    field = view.message_widget("u").findChild(QPlainTextEdit)
    field.setPlainText("  Hi all ")
    with qtbot.waitSignal(view.edit_requested) as blocker:
        qtbot.keyClick(field, Qt.Key.Key_Return, keys)
    assert blocker.args == ["u", "Hi all"]
    assert not view.message_widget("u").editing


def test_changed_send_key_reaches_an_edit_that_is_open(view, qtbot):
    view.set_sends_with_command(False)
    view.begin_edit("u")
    field = view.message_widget("u").findChild(QPlainTextEdit)
    view.set_sends_with_command(True)
    field.setPlainText("")
    with qtbot.assertNotEmitted(view.edit_requested, wait=10):
        qtbot.keyClick(field, Qt.Key.Key_Return, RETURN)
    assert field.toPlainText() == "\n"


@pytest.mark.parametrize("with_command", [False, True])
def test_other_return_breaks_the_line_of_an_edited_message(view, qtbot, with_command):
    view.set_sends_with_command(with_command)
    view.begin_edit("u")
    field = view.message_widget("u").findChild(QPlainTextEdit)
    field.setPlainText("")
    with qtbot.assertNotEmitted(view.edit_requested, wait=10):
        qtbot.keyClicks(field, "a")
        keys = RETURN if with_command else Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(field, Qt.Key.Key_Return, keys)
    assert field.toPlainText() == "a\n"
    assert view.message_widget("u").editing


def test_unfinished_edit_is_there_again_with_its_chat(view, qtbot):
    view.begin_edit("u")
    view.message_widget("u").findChild(QPlainTextEdit).setPlainText("half done")
    view.set_messages([MessageView("other", "user", "Hello")])
    view.set_messages(CHAT)
    widget = view.message_widget("u")
    assert widget.editing
    field = widget.findChild(QPlainTextEdit)
    assert field.toPlainText() == "half done"
    with qtbot.waitSignal(view.edit_requested) as blocker:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert blocker.args == ["u", "half done"]
    view.set_messages(CHAT)
    assert not view.message_widget("u").editing


def test_cancelled_edit_does_not_come_back(view, qtbot):
    view.begin_edit("u")
    field = view.message_widget("u").findChild(QPlainTextEdit)
    field.setPlainText("never mind")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    view.set_messages(CHAT)
    assert not view.message_widget("u").editing


def test_editor_grows_with_what_is_typed(view, qtbot):
    view.begin_edit("u")
    widget = view.message_widget("u")
    before = widget.height()
    field = widget.findChild(QPlainTextEdit)
    for _ in range(6):
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: widget.height() >= before + 60)


def test_return_while_an_input_method_composes_sends_no_edit(view, qtbot):
    view.begin_edit("u")
    field = view.message_widget("u").findChild(QPlainTextEdit)
    QApplication.sendEvent(field, QInputMethodEvent("にほ", []))
    with qtbot.assertNotEmitted(view.edit_requested, wait=10):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert view.message_widget("u").editing


def test_escape_leaves_the_editor_without_a_request(view, qtbot):
    view.begin_edit("u")
    field = view.message_widget("u").findChild(QPlainTextEdit)
    with qtbot.assertNotEmitted(view.edit_requested, wait=10):
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not view.message_widget("u").editing


def test_buttons_that_do_not_fit_beside_the_figures_stay_together(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    stats = ("9.0 tok/s", "first token 0.31 s", "1,200 tokens", "41% remembered")
    view.set_messages([MessageView("a", "assistant", "Hello", stats=stats, can_pin=True)])
    view.resize(330, 300)
    view.show()
    line = view.message_widget("a").meta
    qtbot.waitUntil(lambda: line.height() > 25)
    assert len({button.y() for button in line.buttons()}) == 1
    assert line.buttons()[0].x() <= 0
    figures = line.findChild(QLabel)
    assert figures.width() <= 330
    assert figures.height() >= figures.heightForWidth(figures.width())


def test_menu_offers_delete_for_every_message(view, qtbot):
    widget = view.message_widget("u")
    menu = widget.make_menu()
    delete = next(action for action in menu.actions() if action.data() == "delete")
    with qtbot.waitSignal(view.delete_requested) as blocker:
        delete.trigger()
    assert blocker.args == ["u"]


def test_streaming_reply_offers_no_actions_until_it_ends(view):
    view.append_message(MessageView("b", "assistant"))
    view.begin_stream("b")
    assert view.message_widget("b").meta.isHidden()
    view.end_stream("b", MessageView("b", "assistant", "done"))
    assert not view.message_widget("b").meta.isHidden()


def test_error_is_shown_in_the_message(view):
    error = "The model ran out of memory. Choose a smaller budget and try again."
    view.update_message(MessageView("a", "assistant", "Hel", state="failed", error=error))
    assert error in view.message_widget("a").note_text()


def test_share_remembered_is_told_under_every_message(view):
    for message in CHAT:
        view.update_message(replace(message, remembered=0.414))
        assert "41% remembered" in view.message_widget(message.id).meta.figures()


def test_unknown_ids_are_ignored(view):
    view.append_text("gone", "x")
    view.end_stream("gone", MessageView("gone", "assistant"))
    view.set_divider("gone", "text")
    view.set_shading("gone", [(0, 1, 1.0)])
    view.set_status("gone", "…")
    view.scroll_to("gone")
    view.remove_message("gone")
    assert view.message_ids() == ["u", "a"]


def test_share_of_an_own_message_is_shown_without_the_pointer_and_nothing_is_cut(view):
    message = MessageView("own", "user", "Hi", remembered=0.39)
    view.set_messages([message])
    meta = view.message_widget("own").meta
    label = meta.findChild(QLabel)
    assert label.isVisible()
    assert meta.width() - label.geometry().right() <= 1
    assert all(meta.rect().contains(button.geometry()) for button in meta.buttons())
    assert not any(button.geometry().intersects(label.geometry()) for button in meta.buttons())
