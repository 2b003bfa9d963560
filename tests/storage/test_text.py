"""What is shown of a message in one line."""

import time

import pytest

from app.storage.text import preview


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Heading\n\nSome *text* with `code`", "Heading Some text with code"),
        ("**Bold** and __strong__ and ***both***", "Bold and strong and both"),
        ("- one\n- two\n1. three", "one two three"),
        ("> quoted [link](https://x.example/a_b)", "quoted link"),
        ("```python\nx = 1\n```\nDone", "x = 1 Done"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a | b 1 | 2"),
        ("above\n\n---\n\nbelow", "above below"),
        ("2 * 3 * 4 and a_b_c and -5", "2 * 3 * 4 and a_b_c and -5"),
        ("f(**kwargs)", "f(**kwargs)"),
        ("area = a*b*c", "area = a*b*c"),
        ("日本語の**文章**", "日本語の文章"),
        ("<b>bold</b> & 1 < 2", "<b>bold</b> & 1 < 2"),
        ("", ""),
        (None, ""),
    ],
)
def test_preview_reads_as_the_message_does(text, expected) -> None:
    assert preview(text, 120) == expected


def test_preview_is_cut() -> None:
    assert preview("word " * 100, 20) == "word word word word…"


@pytest.mark.parametrize("piece", ["*", "`", "**a", "[", "| ", "-", " \n", "#", "_"])
def test_preview_of_marks_alone_takes_no_time(piece) -> None:
    began = time.perf_counter()
    preview((piece * 400)[:400], 120)
    assert time.perf_counter() - began < 0.05
