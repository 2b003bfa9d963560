"""Input made to hang a parser does not."""

import time

import pytest

from app.markdown.clean import clean
from app.markdown.inline import MARKUP_BUDGET
from app.markdown.segments import Segmenter

pytestmark = pytest.mark.alone

ALMOST = MARKUP_BUDGET // 2 - 1
HOSTILE = {
    "stars": "*" * 20_000,
    "brackets": "[" * MARKUP_BUDGET,
    "closed brackets": "[" * ALMOST + "]" * ALMOST,
    "links": "[a](" * (ALMOST // 2),
    "images": "![" * (ALMOST // 2),
    "emphasis": "*a _b " * ALMOST,
    "strong": "**a" * ALMOST,
    "ticks": "`" * ALMOST + "a" * 10_000 + "`" * (ALMOST - 1),
    "dollars": "$a" * MARKUP_BUDGET,
    "parentheses": "\\(" * MARKUP_BUDGET,
    "quotes": ">" * 20_000,
    "nested list": "\n".join("  " * depth + "- x" for depth in range(300)),
    "flat list": "- " * 20_000,
    "entities": "&amp;" * 20_000,
    "addresses": "http://" * 5_000,
    "wide table": "|a" * 300 + "\n" + "|-" * 300 + "\n" + ("|x" * 300 + "\n") * 40,
    "one line": "x" * 100_000,
    "one line of words": "word " * 20_000,
    "controls": "\x00\x1b\x07\u202e\u2066\ufdd0" * 5_000,
    "formula": "$$" + r"\frac{" * 2_000 + "$$",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_parsed_in_no_time_and_kept(name):
    text = clean(HOSTILE[name])
    began = time.perf_counter()
    segmenter = Segmenter()
    segments = segmenter.feed(text) + segmenter.finish()
    slowest = 0.0
    for segment in segments:
        start = time.perf_counter()
        blocks = segment.blocks()
        slowest = max(slowest, time.perf_counter() - start)
        assert segment.text.isspace() or blocks
    assert "".join(segment.text for segment in segments) == text
    assert time.perf_counter() - began < 1.5
    assert slowest < 0.5


def test_what_is_nested_too_deep_is_still_shown():
    text = "> " * 40 + "treasure"
    segments = Segmenter()
    blocks = [b for s in segments.feed(text) + segments.finish() for b in s.blocks()]
    assert "treasure" in blocks[-1].text
