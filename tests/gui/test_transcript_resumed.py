"""A reply that was shown as complete and then goes on is one text, not a line a word."""

import pytest
from PySide6.QtWidgets import QTextBrowser

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView


@pytest.mark.parametrize("said", ["", "One"])
def test_words_added_to_a_complete_reply_stay_in_its_paragraph(qtbot, said):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    view.set_messages([MessageView("u", "user", "Hi"), MessageView("a", "assistant", said)])
    body = view.findChildren(QTextBrowser)[-1]
    qtbot.waitUntil(lambda: body.document().toPlainText() == said)
    view.begin_stream("a")
    text = said
    for word in (" two", " three", ", four"):
        view.append_text("a", word)
        text += word
        shown = text.strip()
        qtbot.waitUntil(lambda shown=shown: body.document().toPlainText().strip() == shown)
    assert body.document().blockCount() == 1
