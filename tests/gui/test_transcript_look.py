"""The transcript holds in both schemes, at 200 % text size and from right to left."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from app.models.message_view import MessageView
from app.widgets import theme
from app.widgets.transcript import TranscriptView
from app.widgets.transcript.look import Look
from tests.gui.transcript_samples import SECTION

CHAT = [
    MessageView("u", "user", "Question?", pinned=True, version=2, version_count=3),
    MessageView(
        "a",
        "assistant",
        "<think>hm</think>\n\n" + SECTION.format(n=1),
        state="cut",
        stats=("34.2 tok/s", "first token 0.31 s"),
        remembered=0.41,
    ),
    MessageView("e", "assistant", "x", state="failed", error="It failed. Try again."),
]


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 900)
    view.set_messages(CHAT)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_colours_follow_the_scheme(view, qapp, qtbot):
    def corner() -> float:
        return view.viewport().grab().toImage().pixelColor(2, 2).lightnessF()

    assert corner() > 0.9
    qapp.setPalette(theme.scheme_palette(True))
    qtbot.waitUntil(lambda: corner() < 0.2)
    document = view.message_widget("a").body.document()
    word = document.find("explanation").charFormat().foreground().color()
    assert word == theme.colours(qapp.palette()).text


@pytest.mark.parametrize("dark", [False, True])
def test_text_colours_are_readable(dark):
    look = Look(theme.scheme_palette(dark))
    colours = look.colours
    for form in look.code_formats.values():
        assert theme.contrast_ratio(form.foreground().color(), colours.code) >= 4.5
    for text, ground in [
        (colours.text, colours.bubble),
        (colours.text, look.found),
        (colours.secondary, colours.base),
        (colours.secondary, colours.code),
        (colours.accent_text, colours.base),
        (colours.danger, colours.base),
    ]:
        assert theme.contrast_ratio(text, ground) >= 4.5


def clipped(view: TranscriptView) -> list[str]:
    """Names of what sticks out of its message."""
    names = []
    for message_id in view.drawn_message_ids():
        message = view.message_widget(message_id)
        for child in message.findChildren(QWidget):
            if not child.isVisibleTo(message) or child.parent().objectName().startswith("qt_"):
                continue
            place = child.rect().translated(child.mapTo(message, child.rect().topLeft()))
            if not message.rect().adjusted(-5, 0, 5, 0).contains(place):
                names.append(f"{message_id}: {child.accessibleName() or type(child).__name__}")
    return names


@pytest.mark.parametrize("width", [320, 500, 748, 1400])
@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("direction", ["LeftToRight", "RightToLeft"])
def test_nothing_is_clipped(view, qtbot, width, scale, direction):
    view.setLayoutDirection(Qt.LayoutDirection[direction])
    view.set_text_scale(scale)
    view.resize(width, 3000)
    qtbot.waitUntil(lambda: not view.busy)
    assert view.drawn_message_ids() == ["u", "a", "e"]
    assert clipped(view) == []
    for message_id in view.drawn_message_ids():
        body = view.message_widget(message_id).body
        assert body.document().idealWidth() <= body.width() + 1
        assert body.document().size().height() <= body.height() + 1


def test_right_to_left_text_is_not_cut(view, qtbot):
    view.set_messages([MessageView("u", "user", "مرحبا، أخطط لرحلة إلى لشبونة في مايو.")])
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    view.resize(700, 400)
    body = view.message_widget("u").body
    assert view.message_widget("u").bubble.left() == 0
    assert body.horizontalScrollBar().value() == 0
    assert body.document().firstBlock().layout().lineCount() == 1


def test_every_control_has_an_accessible_name(view):
    for message_id in view.drawn_message_ids():
        widget = view.message_widget(message_id)
        for control in [*widget.findChildren(QToolButton), widget.body, widget]:
            assert control.accessibleName()


def test_tab_visits_messages_from_top_to_bottom(view):
    chain, widget = [], view.nextInFocusChain()
    while widget is not view and len(chain) < 200:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and view.isAncestorOf(widget):
            chain.append(widget)
        widget = widget.nextInFocusChain()
    bodies = [view.message_widget(m).body for m in view.drawn_message_ids()]
    assert [widget for widget in chain if widget in bodies] == bodies


def test_text_follows_the_application_font(view, qapp, qtbot):
    body = view.message_widget("a").body
    before = body.document().defaultFont().pixelSize()
    font = qapp.font()
    font.setPixelSize(2 * font.pixelSize())
    qapp.setFont(font)
    qtbot.waitUntil(lambda: body.document().defaultFont().pixelSize() == 2 * before)
    assert not clipped(view)
