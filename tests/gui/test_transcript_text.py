"""Text is selected, copied and followed as a person expects; nothing remote is loaded."""

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QToolButton

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView
from app.widgets.transcript.links import safe_url

REPLY = (
    "A **bold** <int> and [link](https://example.org/x).\n\n"
    "```python\nx = {'a': 1}\n\n\tprint(x)\n```\n\n![pic](https://example.org/p.png)\n"
)


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 500)
    view.set_messages([MessageView("a", "assistant", REPLY)])
    view.show()
    qtbot.waitExposed(view)
    return view


def select(body, words: str) -> None:
    cursor = body.document().find(words)
    body.setTextCursor(cursor)


def test_whole_message_is_selected_and_copied_raw(view, qtbot):
    body = view.message_widget("a").body
    body.setFocus()
    qtbot.keyClick(body, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(body, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == REPLY


def test_selected_words_are_copied_raw(view):
    body = view.message_widget("a").body
    select(body, "A bold <int> and")
    assert body.createMimeDataFromSelection().text() == "A **bold** <int> and"
    assert body.createMimeDataFromSelection().formats() == ["text/plain"]


def test_code_button_copies_the_code_exactly(view, qtbot):
    body = view.message_widget("a").body
    button = next(b for b in body.findChildren(QToolButton) if "Copy" in b.accessibleName())
    assert button.accessibleName() == "Copy python code"
    with qtbot.waitSignal(view.code_copied) as blocker:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert blocker.args == ["x = {'a': 1}\n\n\tprint(x)"]
    assert QGuiApplication.clipboard().text() == "x = {'a': 1}\n\n\tprint(x)"


def link_point(body, words: str) -> QPoint:
    cursor = body.document().find(words)
    cursor.setPosition(cursor.selectionStart() + 1)
    return body.cursorRect(cursor).center()


def test_link_opens_only_by_click_and_shows_its_target(view, qtbot):
    body = view.message_widget("a").body
    point = link_point(body, "link")
    with qtbot.waitSignal(view.link_hovered) as hovered:
        qtbot.mouseMove(body.viewport(), point)
    assert hovered.args == ["https://example.org/x"]
    assert body.tip_at(point) == "https://example.org/x"
    assert view.shown_address() == "https://example.org/x"
    with qtbot.waitSignal(view.link_activated) as activated:
        qtbot.mouseClick(body.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert activated.args == ["https://example.org/x"]


@pytest.mark.parametrize(
    ("address", "opens"),
    [
        ("https://example.org", True),
        ("HTTP://example.org/a?b", True),
        ("mailto:someone@example.org", True),
        ("javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("/etc/passwd", False),
        ("http:", False),
        ("http://[bad", False),
    ],
)
def test_only_web_and_mail_addresses_open(address, opens):
    assert bool(safe_url(address)) == opens


def test_nothing_is_ever_loaded(view, tmp_path):
    body = view.message_widget("a").body
    picture = tmp_path / "p.png"
    picture.write_bytes(b"x")
    image = QTextDocument.ResourceType.ImageResource
    for url in (QUrl("https://example.org/p.png"), QUrl.fromLocalFile(str(picture))):
        assert body.loadResource(image, url) is None
    assert "🖼 pic" in body.toPlainText()
    assert "￼" not in body.toPlainText()


def test_html_is_shown_as_text(view):
    assert "<int>" in view.message_widget("a").body.toPlainText()


def test_arrows_scroll_and_shift_arrows_select(view, qtbot):
    view.set_messages([MessageView("a", "assistant", "line\n\n" * 200)])
    view.scroll_to("a")
    body = view.message_widget("a").body
    body.setFocus()
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert view.verticalScrollBar().value() > 200
    qtbot.keyClick(body, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert body.selected_raw() == "l"


def test_only_one_message_has_a_selection(view):
    view.append_message(MessageView("b", "assistant", "second reply"))
    first, second = view.message_widget("a").body, view.message_widget("b").body
    select(first, "bold")
    select(second, "reply")
    assert not first.textCursor().hasSelection()
    assert second.selected_raw() == "reply"
