"""A reply that came token by token looks like one that came whole."""

import pytest

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView
from tests.gui.transcript_samples import SECTION

REPLY = SECTION.format(n=3) + "A list (reversed in place) and $x_1$.\n"


def settle(view: TranscriptView, qtbot) -> None:
    qtbot.waitUntil(lambda: not view.busy)


@pytest.fixture
def whole(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 600)
    view.show()
    view.set_messages([MessageView("r", "assistant", REPLY)])
    settle(view, qtbot)
    return view


@pytest.mark.parametrize("state", ["waiting", "done"])
@pytest.mark.parametrize("size", [3, 7])
def test_streamed_reply_equals_the_whole_one(qtbot, whole, state, size):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 600)
    view.show()
    view.set_messages(
        [MessageView("u", "user", "Go on"), MessageView("r", "assistant", state=state)]
    )
    view.begin_stream("r")
    for start in range(0, len(REPLY), size):
        view.append_text("r", REPLY[start : start + size])
        if start % 21 == 0:
            settle(view, qtbot)
    settle(view, qtbot)
    body, expected = view.message_widget("r").body, whole.message_widget("r").body
    assert body.document().blockCount() == expected.document().blockCount()
    view.end_stream("r", MessageView("r", "assistant", REPLY))
    settle(view, qtbot)
    assert body.document().toRawText() == expected.document().toRawText()
    assert body.content_height() == expected.content_height()


def test_selection_stays_while_text_streams_in(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.show()
    view.set_messages([MessageView("r", "assistant", "First words.")])
    body = view.message_widget("r").body
    view.begin_stream("r")
    view.append_text("r", " More")
    settle(view, qtbot)
    body.setTextCursor(body.document().find("First words"))
    view.append_text("r", " and more *text*\n\nand more")
    settle(view, qtbot)
    assert body.selected_raw() == "First words"
