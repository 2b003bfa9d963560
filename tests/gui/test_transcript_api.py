"""The transcript keeps the messages it is given, by id."""

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView


def test_messages_are_kept_by_id(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.set_messages([MessageView("a", "user", "Hi"), MessageView("b", "assistant", "")])
    view.begin_stream("b")
    view.append_text("b", "Hel")
    view.append_text("b", "lo")
    view.append_text("gone", "ignored")
    assert view.message_ids() == ["a", "b"]
    assert view.message("b").text == "Hello"
    view.end_stream("b", MessageView("b", "assistant", "Hello.", stats=("9.0 tok/s",)))
    assert view.message("b").stats == ("9.0 tok/s",)
    view.remove_message("a")
    view.remove_message("a")
    assert view.message_ids() == ["b"]
