"""Thinking is folded away, timed, and never taken for the answer."""

import pytest

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 500)
    view.show()
    qtbot.waitExposed(view)
    return view


def shown(view: TranscriptView) -> str:
    return view.message_widget("r").body.toPlainText().strip()


def caption(view: TranscriptView) -> str:
    return view.message_widget("r").thought_caption()


def begin(view: TranscriptView) -> None:
    view.set_messages([MessageView("u", "user", "?"), MessageView("r", "assistant")])
    view.begin_stream("r")


def drawn(view, qtbot) -> None:
    qtbot.waitUntil(lambda: not view.busy)


def test_thought_is_folded_while_it_streams(view, qtbot):
    begin(view)
    view.append_text("r", "<think>Let me")
    drawn(view, qtbot)
    assert (shown(view), caption(view)) == ("", "Thinking…")
    with qtbot.waitSignal(view.thought_timed) as timed:
        view.append_text("r", " see.</think>\n\nForty")
    assert timed.args[0] == "r"
    assert 0 <= timed.args[1] < 5
    view.append_text("r", "-two")
    drawn(view, qtbot)
    assert shown(view) == "Forty-two"
    assert caption(view).startswith("Thought for ")


def test_closing_tag_alone_folds_what_was_shown(view, qtbot):
    begin(view)
    view.append_text("r", "Let me see.")
    drawn(view, qtbot)
    assert shown(view) == "Let me see."
    view.append_text("r", "\n</think>\n\nForty-two")
    drawn(view, qtbot)
    assert shown(view) == "Forty-two"


def test_cut_thought_is_not_shown_as_the_answer(view):
    text = "<think>I was about to"
    view.set_messages([MessageView("r", "assistant", text, state="stopped", thought_s=3.0)])
    assert shown(view) == ""
    assert caption(view) == "Thought for 3.0 s · cut off before an answer"


def test_stored_duration_is_shown(view):
    text = "<think>hm</think>\nYes"
    view.set_messages([MessageView("r", "assistant", text, thought_s=12.4)])
    assert caption(view) == "Thought for 12 s"


def test_unfolded_thought_shows_its_text_and_grows(view, qtbot):
    begin(view)
    view.append_text("r", "<think>first")
    drawn(view, qtbot)
    height = view.message_widget("r").height()
    view.message_widget("r").unfold_thought()
    view.append_text("r", " second")
    drawn(view, qtbot)
    assert view.message_widget("r").thought_body().toPlainText() == "first second"
    assert view.message_widget("r").height() > height


def test_think_in_prose_is_text(view):
    view.set_messages([MessageView("r", "assistant", "Use <think> and `</think>` tags.")])
    assert shown(view) == "Use <think> and </think> tags."
