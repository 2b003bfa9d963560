"""Every character on screen knows which raw characters it stands for."""

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QGuiApplication

from app.widgets.transcript.body import MessageBody
from app.widgets.transcript.look import Look
from app.widgets.transcript.source_map import SourceMap, utf16_length
from tests.gui.test_markdown_segments import TEXTS, cut

RAW = (
    "# Tïtle 😀 x\n\nA **bold 👩‍👩‍👧 word** and `code`, 日本語 *it*.\nline two\n\n"
    "- item **b**\n  - deeper\n\n| a | b |\n|--|--|\n| c1 | 😀2 |\n\n"
    "```py\nx = '😀'\n\n    y\n```\n> quoted\n> lines\n"
)


def make_body(qtbot, raw: str, *, is_plain: bool = False) -> MessageBody:
    body = MessageBody(Look(QGuiApplication.palette()), is_plain=is_plain)
    qtbot.addWidget(body)
    body.set_width(600)
    body.set_raw(raw)
    body.finish()
    while body.busy:
        body.work(float("inf"))
    return body


def shown(body: MessageBody, raw: str, word: str) -> str:
    """What the document shows for the first raw occurrence of ``word``."""
    start = raw.index(word)
    units = body.document().toRawText().encode("utf-16-le")
    ranges = body.source_map.doc_ranges(start, start + len(word))
    return "".join(units[2 * a : 2 * b].decode("utf-16-le") for a, b in ranges)


def test_each_word_is_found_where_it_is_shown(qtbot):
    body = make_body(qtbot, RAW)
    words = [
        "Tïtle",
        "😀 x",
        "bold 👩‍👩‍👧 word",
        "code",
        "日本語",
        "it",
        "line two",
        "item",
        "deeper",
    ]
    for word in [*words, "c1", "😀2", "x = '😀'", "    y", "quoted", "lines"]:
        assert shown(body, RAW, word) == word


def test_markup_is_shown_nowhere(qtbot):
    body = make_body(qtbot, RAW)
    for markup in ["# ", "**", "```py"]:
        assert shown(body, RAW, markup) == ""


def test_formula_stands_for_its_latex_as_a_whole(qtbot):
    raw = r"so $\alpha_i$ ends"
    body = make_body(qtbot, raw)
    assert shown(body, raw, r"\alpha") == "αᵢ"
    place = next(body.source_map.doc_ranges(4, 5))
    assert body.source_map.raw_offset(place[0] + 1) == raw.index("$")


def test_astral_characters_count_twice_in_the_document():
    source_map = SourceMap()
    assert source_map.add(0, "a😀b", 10, 3) == 4 == utf16_length("a😀b")
    assert [source_map.raw_offset(at) for at in range(5)] == [10, 11, 11, 12, None]
    assert list(source_map.doc_ranges(11, 13)) == [(1, 3), (3, 4)]
    assert source_map.raw_range(1, 4) == (11, 13)


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=8))
def test_streamed_and_whole_text_give_the_same_document_and_map(qapp, text, places):
    whole = MessageBody(Look(qapp.palette()), is_plain=False)
    whole.set_raw(text)
    whole.finish()
    whole.work(float("inf"))
    streamed = MessageBody(Look(qapp.palette()), is_plain=False)
    for piece in cut(text, places):
        streamed.feed(piece)
        streamed.work(float("inf"))
    streamed.finish()
    streamed.work(float("inf"))
    assert streamed.document().toRawText() == whole.document().toRawText()
    for at in range(whole.document().characterCount()):
        assert streamed.source_map.raw_offset(at) == whole.source_map.raw_offset(at)
    whole.deleteLater()
    streamed.deleteLater()
