"""Markdown becomes blocks; nothing a model wrote is lost on the way."""

import pytest

from app.markdown.blocks import parse_blocks
from app.markdown.clean import clean
from app.markdown.model import Style


def texts(source: str) -> list[str]:
    return [block.text for block in parse_blocks(source)]


@pytest.mark.parametrize(
    "source",
    [
        "List<int> and <think> stay",
        "<div onclick='x'>html</div>",
        "<!-- a comment -->",
        "<script>alert(1)</script>",
        "[1]: http://example.org/definition",
        "a & b &unknown; c",
        "price $5 and $10",
        "snake_case_name and 2*3*4",
    ],
)
def test_text_is_shown_whole_when_it_looks_like_markup(source):
    assert "\n".join(texts(source)) == source


def test_styles_are_told_apart():
    (block,) = parse_blocks("**bold** *it* ~~no~~ `code`")
    styles = {run.text: run.style for run in block.runs if run.text.strip()}
    assert styles == {
        "bold": Style.BOLD,
        "it": Style.ITALIC,
        "no": Style.STRIKE,
        "code": Style.CODE,
    }


def test_nested_lists_have_markers_and_indents():
    blocks = parse_blocks("3. one\n   - two\n     - [x] three\n4. four\n")
    assert [(b.marker, b.indent, b.text) for b in blocks] == [
        ("3.", 1, "one"),
        ("•", 2, "two"),
        ("☑", 3, "three"),
        ("4.", 1, "four"),
    ]


def test_quotes_and_lists_keep_their_order():
    blocks = parse_blocks("> q\n> - item\n\n- x\n  > inner\n")
    assert [(b.text, b.indent, b.quotes) for b in blocks] == [
        ("q", 1, (0,)),
        ("item", 2, (0,)),
        ("x", 1, ()),
        ("inner", 2, (1,)),
    ]


def test_table_has_rows_and_alignments():
    (table,) = parse_blocks("| a | b\\|c |\n|:--|:-:|\n| `x` | **y** |\n")
    assert table.kind == "table"
    assert table.text == "a\tb|c\nx\ty"
    assert table.aligns == ("left", "center")


def test_code_is_one_block_a_line_with_its_language():
    blocks = parse_blocks("```python title\ndef f():\n\n    return 1\n```\n")
    assert [(b.text, b.first, b.language) for b in blocks] == [
        ("def f():", True, "python"),
        ("", False, "python"),
        ("    return 1", False, "python"),
    ]


def test_image_becomes_a_link_with_its_description():
    (block,) = parse_blocks("![a cat](https://example.org/cat.png)")
    (run,) = block.runs
    assert (run.text, run.href) == ("🖼 a cat", "https://example.org/cat.png")


def test_bare_address_is_a_link_without_its_full_stop():
    (block,) = parse_blocks("See (https://example.org/a_b(c)).")
    assert [run.text for run in block.runs if run.href] == ["https://example.org/a_b(c)"]


def test_script_address_is_no_link():
    (block,) = parse_blocks("[click](javascript:alert(1)) <javascript:x>")
    assert not any(run.href for run in block.runs)


def test_line_end_breaks_the_line():
    (block,) = parse_blocks("one\ntwo  \nthree")
    assert block.text == "one\ntwo\nthree"


def test_clean_keeps_the_length_and_shows_control_characters():
    dirty = "a\x00b\x1bc\r\nd\u2028e\u202ef\ud800g\ufffch\x7f"
    assert clean(dirty) == "a␀b␛c \nd e\ufffdf\ufffdg\ufffdh␡"
    assert len(clean(dirty)) == len(dirty)
