"""Which characters a generated token stands for, against the tokenizer's own offsets."""

import pytest

from tests.tiny_folder import make_tiny_folder
from velox_core.blas import import_mlx_lm

import_mlx_lm()

from mlx_lm.tokenizer_utils import NaiveStreamingDetokenizer  # noqa: E402
from mlx_lm.utils import load_tokenizer  # noqa: E402

from velox_core.engine.token_ranges import TokenRanges  # noqa: E402

TEXTS = [
    "Plain words, 12345.",
    "naïve café",
    "日本語 和 中文",
    "🙂👨‍👩‍👧 flags 🇫🇷",
    "a\n\n\tb  c",
    "",
]


def covered(text: str, starts, ends) -> list[str]:
    return [text[a:b] for a, b in zip(starts, ends, strict=True)]


@pytest.mark.starter
@pytest.mark.parametrize("text", TEXTS)
def test_ranges_agree_with_the_tokenizers_offsets(starter_path, text) -> None:
    tokenizer = load_tokenizer(starter_path)
    encoded = tokenizer._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    starts, ends = TokenRanges(tokenizer).find(tuple(encoded["input_ids"]), text, 0)
    assert list(zip(starts, ends, strict=True)) == [tuple(o) for o in encoded["offset_mapping"]]


def test_bytes_of_one_character_share_it(tmp_path) -> None:
    tokenizer = load_tokenizer(make_tiny_folder(tmp_path / "tiny"))
    text = "é🙂!"
    ids = tuple(tokenizer.encode(text, add_special_tokens=False))
    parts = covered(text, *TokenRanges(tokenizer).find(ids, text, 0))
    assert parts == ["é", "é", "🙂", "🙂", "🙂", "🙂", "!"]


def test_broken_characters_have_their_place(tmp_path) -> None:
    tokenizer = load_tokenizer(make_tiny_folder(tmp_path / "tiny"))
    [lead, *_] = tokenizer.encode("é", add_special_tokens=False)
    [half, other, *_] = tokenizer.encode("🙂", add_special_tokens=False)
    [a] = tokenizer.encode("a", add_special_tokens=False)
    ids = (lead, a, half, other, lead, a, half)
    detokenizer = tokenizer.detokenizer
    for token_id in ids:
        detokenizer.add_token(token_id)
    detokenizer.finalize()
    assert detokenizer.text == "\ufffda\ufffd\ufffda\ufffd"
    starts, ends = TokenRanges(tokenizer).find(ids, detokenizer.text, 0)
    assert list(starts) == [0, 1, 2, 2, 3, 4, 5]
    assert list(ends) == [1, 2, 3, 3, 4, 5, 6]


def test_prefix_and_cut_are_respected(tmp_path) -> None:
    tokenizer = load_tokenizer(make_tiny_folder(tmp_path / "tiny"))
    ids = tuple(tokenizer.encode("abSTOP", add_special_tokens=False))
    parts = covered("<think>\nab", *TokenRanges(tokenizer).find(ids, "<think>\nab", 8))
    assert parts == ["a", "b", "", "", "", ""]


def test_tokenizer_without_known_bytes_goes_by_growth(tmp_path) -> None:
    tokenizer = load_tokenizer(make_tiny_folder(tmp_path / "tiny"))
    tokenizer._detokenizer = NaiveStreamingDetokenizer(tokenizer._tokenizer)
    ids = tuple(tokenizer.encode("a🙂b", add_special_tokens=False))
    parts = covered("a🙂b", *TokenRanges(tokenizer).find(ids, "a🙂b", 0))
    assert parts == ["a", "🙂", "🙂", "🙂", "🙂", "b"]


@pytest.mark.starter
def test_growing_reply_has_the_same_ranges_at_every_step(starter_path) -> None:
    tokenizer = load_tokenizer(starter_path)
    ranges = TokenRanges(tokenizer)
    text = " naïve 日本語 🙂👨‍👩‍👧 end. " * 3
    ids = tuple(tokenizer.encode(text, add_special_tokens=False))
    for n in (*range(1, len(ids) + 1), 5):
        said = tokenizer.decode(list(ids[:n])).lstrip(" ")
        assert ranges.grow(ids[:n], said, 0) == ranges.find(ids[:n], said, 0)
    assert ranges._grown.ids
