"""The thought is told from the answer, whichever tags the model wrote."""

import pytest

from app.markdown.thinking import split_thought


def split(text: str, is_open: bool = False) -> tuple[str, str, bool]:
    parts = split_thought(text, is_open=is_open)
    thought = text[parts.thought_start : parts.thought_end]
    return thought.strip(), text[parts.answer_start :], parts.closed


@pytest.mark.parametrize(
    ("text", "thought", "answer"),
    [
        ("<think>hm</think>\n\nYes.", "hm", "Yes."),
        ("\n<think>\nhm\n</think>Yes.", "hm", "Yes."),
        ("hm\n</think>\n\nYes.", "hm", "Yes."),
        ("No tags.", "", "No tags."),
        ("The `<think>` tag opens, `</think>`\ncloses.", "", None),
        ("Write <think> in prose.", "", None),
        ("```\n</think>\n```\n", "", None),
        ("hm</think>", "hm", ""),
    ],
)
def test_thought_is_told_from_the_answer(text, thought, answer):
    assert split(text) == (thought, text if answer is None else answer, True)


def test_cut_thought_is_not_the_answer():
    assert split("<think>I was about to") == ("I was about to", "", False)
    assert split("<think>still", is_open=True) == ("still", "", False)


@pytest.mark.parametrize("text", ["<", "<thi", "\n<think"])
def test_half_a_tag_is_not_shown_while_it_arrives(text):
    assert split(text, is_open=True) == ("", "", True)
    assert split(text)[1] == text


def test_closing_tag_waits_for_its_line_end_while_text_arrives():
    assert split("a </think>", is_open=True)[1] == "a </think>"
    assert split("a </think>\n", is_open=True) == ("a", "", True)
