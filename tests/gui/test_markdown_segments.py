"""However a text arrives, the pieces are the same, and together they are the text."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.markdown.segments import MAX_LINE, MAX_SEGMENT, PlainSegmenter, Segment, Segmenter

BLOCKS = [
    "# head",
    "\n",
    "\n\n",
    "- a",
    "1. x",
    "1. y",
    "  - b",
    "    deep",
    "> q",
    "```",
    "```py",
    "~~~",
]
MARKS = [
    "$$",
    "\\[",
    "\\]",
    "| a | b |\n",
    "|--|--|\n",
    "|",
    "<think>",
    "**",
    "*",
    "`",
    "---",
    "===",
]
SMALL = ["word ", " ", "\t", "😀", "[l](u)", "![i](u)", "  \n", "&amp;", "\\*", "$x_1$", "2*3"]
FRAGMENTS = st.sampled_from([*BLOCKS, *MARKS, *SMALL])
TEXTS = st.lists(FRAGMENTS, max_size=40).map("".join)


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def run(segmenter: Segmenter | PlainSegmenter, pieces: list[str]) -> list[Segment]:
    return [s for piece in pieces for s in segmenter.feed(piece)] + segmenter.finish()


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
def test_segments_do_not_depend_on_how_the_text_arrives(text, places):
    whole = run(Segmenter(), [text])
    assert run(Segmenter(), cut(text, places)) == whole
    assert "".join(segment.text for segment in whole) == text


@settings(deadline=None, max_examples=100)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12))
def test_plain_lines_do_not_depend_on_how_the_text_arrives(text, places):
    whole = run(PlainSegmenter(), [text])
    assert run(PlainSegmenter(), cut(text, places)) == whole
    assert "".join(segment.text for segment in whole) == text


def test_long_texts_are_cut_the_same_way_however_they_arrive():
    text = "word " * 6_000 + "\n\n" + "x" * 40_000 + "\n- item\n" * 2_000 + "> q\n" * 5_000
    whole = run(Segmenter(), [text])
    pieces = [text[i : i + 997] for i in range(0, len(text), 997)]
    assert run(Segmenter(), pieces) == whole
    assert max(len(segment.text) for segment in whole) <= MAX_SEGMENT
    assert "".join(segment.text for segment in whole) == text


def test_finished_blocks_are_handed_out_early():
    segmenter = Segmenter()
    assert segmenter.feed("one\n\ntwo") == []
    (first,) = segmenter.feed("\n")
    assert (first.start, first.text) == (0, "one\n\n")
    assert segmenter.open_segment() == Segment(5, "two\n", is_open=True)


def test_numbered_list_counts_on_over_segments():
    segments = run(Segmenter(), ["1. a\n1. b\n1. c\n\nend\n"])
    markers = [block.marker for segment in segments for block in segment.blocks()]
    assert markers == ["1.", "2.", "3.", ""]


def test_open_code_box_is_never_cut():
    text = "```\n" + "line\n" * 5_000
    assert len(run(Segmenter(), [text])) == 1


def test_plain_line_is_cut_when_too_long():
    segments = run(PlainSegmenter(), ["x" * 10_000])
    assert [len(segment.text) for segment in segments] == [MAX_LINE, MAX_LINE, 2_000]
