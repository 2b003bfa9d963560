"""Reply text: whole characters, stop strings never leak."""

import pytest

from tests.tiny_folder import make_tiny_folder
from velox_core.blas import import_mlx_lm
from velox_core.engine.reply_text import ReplyText

import_mlx_lm()

from mlx_lm.utils import load_tokenizer  # noqa: E402


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    return load_tokenizer(make_tiny_folder(tmp_path_factory.mktemp("m") / "tiny"))


def stream(tokenizer, text: str, stop=(), continued=()):
    """Feed ``text`` byte by byte; returns the reply and what became visible at each step."""
    reply = ReplyText(tokenizer.detokenizer, stop, continued)
    steps = []
    for token_id in tokenizer.encode(text, add_special_tokens=False):
        steps.append(reply.add(token_id))
        if reply.stopped:
            break
    steps.append(reply.finish())
    return reply, steps


def test_split_characters_appear_whole(tokenizer) -> None:
    reply, steps = stream(tokenizer, "é🙂日本!")
    assert "".join(steps) == reply.text == "é🙂日本!"
    assert not any("\ufffd" in step for step in steps)


def test_cut_character_is_marked_at_the_end_only(tokenizer) -> None:
    reply = ReplyText(tokenizer.detokenizer)
    first, *_ = tokenizer.encode("🙂", add_special_tokens=False)
    assert reply.add(first) == ""
    assert reply.finish() == "\ufffd"


@pytest.mark.parametrize("stop", [("END",), ("END", "more"), ("xEND", "END")])
def test_stop_string_never_leaks(tokenizer, stop) -> None:
    reply, steps = stream(tokenizer, "say END more", stop)
    assert reply.stopped
    assert "".join(steps) == reply.text == "say "


def test_beginning_of_a_stop_string_is_given_out_once_it_is_none(tokenizer) -> None:
    reply, steps = stream(tokenizer, "ENTER EN", ("END",))
    assert not reply.stopped
    assert steps[:3] == ["", "", "ENT"]
    assert "".join(steps) == reply.text == "ENTER EN"


def test_prefix_comes_with_the_first_text_of_a_new_reply(tokenizer) -> None:
    reply = ReplyText(tokenizer.detokenizer, prefix="<think>\n")
    [first] = tokenizer.encode("a", add_special_tokens=False)
    assert (reply.add(first), reply.add(first), reply.finish()) == ("<think>\na", "a", "")
    assert reply.text == "<think>\naa"


def test_continued_reply_gives_out_only_what_is_new(tokenizer) -> None:
    before = tokenizer.encode("Hello", add_special_tokens=False)
    reply, steps = stream(tokenizer, " world", continued=before)
    assert "".join(steps) == " world"
    assert reply.text == "Hello world"
