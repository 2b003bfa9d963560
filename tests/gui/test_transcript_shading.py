"""Words are shaded where they are shown, by raw offsets."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolTip

from app.markdown.model import Block, Style
from app.models.message_view import MessageView
from app.widgets import theme
from app.widgets.transcript import TranscriptView
from app.widgets.transcript.look import Look
from app.widgets.transcript.shades import Shade, joined

RAW = "One **two** three\n\n```py\nfour\n```\n"


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 300)
    view.set_messages([MessageView("a", "assistant", RAW)])
    view.show()
    qtbot.waitExposed(view)
    return view


def colour_left_of(view: TranscriptView, word: str) -> QColor:
    """The colour in the corner of a word, where no letter is."""
    body = view.message_widget("a").body
    cursor = body.document().find(word)
    cursor.setPosition(cursor.selectionStart())
    rect = body.cursorRect(cursor)
    corner = body.viewport().mapTo(view.viewport(), rect.bottomLeft()) + QPoint(3, -1)
    return view.viewport().grab().toImage().pixelColor(corner)


def test_only_the_given_words_are_shaded(view):
    base = theme.colours(view.palette()).base
    start = RAW.index("two")
    view.set_shading("a", [(start, start + 3, 1.0)])
    assert colour_left_of(view, "two").rgb() == theme.colours(view.palette()).remembered.rgb()
    assert colour_left_of(view, "three").rgb() == base.rgb()
    view.set_shading("a", None)
    assert colour_left_of(view, "two").rgb() == base.rgb()


def test_code_is_shaded_too(view):
    start = RAW.index("four")
    before = colour_left_of(view, "four")
    view.set_shading("a", [(start, start + 4, 1.0)])
    assert colour_left_of(view, "four") != before


def test_shade_is_as_strong_as_the_share(view):
    start = RAW.index("two")
    blueness = []
    for share in (0.0, 0.3, 0.7, 1.0):
        view.set_shading("a", [(start, start + 3, share)])
        colour = colour_left_of(view, "two")
        blueness.append(colour.blue() - colour.red())
    assert blueness == sorted(blueness)
    assert blueness[0] == 0 < blueness[1] < blueness[2] < blueness[3]


@pytest.mark.parametrize("dark", [False, True])
def test_text_of_every_kind_is_readable_on_the_strongest_shade(dark):
    look = Look(theme.scheme_palette(dark))
    block = Block("paragraph")
    inks = [look.text, look.quiet.text]
    inks += [form.foreground().color() for form in look.code_formats.values()]
    inks.append(look.char_format(Style(0), block, "https://example.org").foreground().color())
    ratios = [theme.contrast_ratio(ink, look.colours.remembered) for ink in inks]
    assert min(ratios) >= 4.5


def test_code_in_a_line_is_shaded_too(view):
    raw = "Call `plan` now"
    view.set_messages([MessageView("a", "assistant", raw)])
    view.message_widget("a").body.work(1e9)
    before = colour_left_of(view, "plan")
    view.set_shading("a", [(6, 10, 1.0)])
    shaded = colour_left_of(view, "plan")
    assert shaded.blue() - shaded.red() > before.blue() - before.red() + 40


def test_token_ranges_become_word_shades():
    text = "Hello big world"
    ranges = [(0, 3, 0.5), (3, 5, 0.5), (5, 9, 0.5), (9, 15, 0.2)]
    assert joined(ranges, text) == [Shade(0, 9, 0.5), Shade(10, 15, 0.2)]
    assert joined([(3, 99, 1.0), (7, 2, 1.0)], "ab \n") == []


def test_tip_tells_about_the_word_under_the_pointer(view):
    asked = []

    def tip(message_id: str, offset: int) -> str:
        asked.append((message_id, RAW[offset]))
        return "held by 63 % of the cache"

    view.set_shading_tip(tip)
    body = view.message_widget("a").body
    cursor = body.document().find("three")
    cursor.setPosition(cursor.selectionStart())
    point = body.cursorRect(cursor).center()
    point.setX(point.x() + 3)
    assert body.tip_at(point) == "held by 63 % of the cache"
    assert asked == [("a", "t")]
    view.set_shading_tip(None)
    assert body.tip_at(point) == ""


def test_keyboard_hears_what_the_pointer_is_told(view, qtbot):
    asked = []
    view.set_shading_tip(lambda _id, offset: asked.append(RAW[offset]) or "held by 63 %")
    body = view.message_widget("a").body
    body.clearFocus()
    body.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(4):
        qtbot.keyClick(body, Qt.Key.Key_Right)
    assert asked == ["n", "e", " ", "t"]
    assert QToolTip.text() == "held by 63 %"


def test_system_prompt_is_a_quiet_heading_without_buttons(view):
    heading = MessageView("s", "system", "Be brief.", can_pin=False, remembered=0.5)
    view.set_heading(heading)
    assert view.message_ids() == ["s", "a"]
    meta = view.message_widget("s").meta
    assert meta.figures() == "System prompt   50% remembered"
    assert list(meta.buttons()) == []
    view.set_heading(None)
    assert view.message_ids() == ["a"]
