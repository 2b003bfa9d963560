"""The starter model's tokenizer: known ids, and agreement with a plain byte-pair encoder."""

import json

import pytest
from gguf import GGUFReader
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from tests.core.bpe_reference import BpeReference

pytestmark = [pytest.mark.starter, pytest.mark.xdist_group("starter_model")]

GOLDEN = {
    "Hello, world!": [19556, 28, 905, 17],
    "2024": [34, 32, 34, 36],
    "100,000.": [33, 32, 32, 28, 32, 32, 32, 30],
    "a  b   c\t\td\n\n\n  e    ": [81, 216, 278, 256, 265, 197, 197, 84, 1116, 3805, 297, 289],
    "🦜 done": [10813, 116, 246, 2294],
    "東京は": [30679, 126, 16736, 122, 7365, 124],
    "你好，世界": [18645, 250, 48392, 138, 12831, 7906, 240, 178, 239, 230],
    "don't we'll I'd": [12420, 982, 392, 3060, 339, 6737],
    "<|im_start|>user\n<|im_end|>": [1, 4093, 198, 2],
}


@pytest.fixture(scope="module")
def tokenizer(starter_path):
    return AutoTokenizer.from_pretrained(starter_path)


@pytest.fixture(scope="module")
def reference(starter_gguf):
    reader = GGUFReader(starter_gguf)
    tokens, merges = (reader.get_field(f"tokenizer.ggml.{n}") for n in ("tokens", "merges"))
    return BpeReference(tokens.contents(), merges.contents())


@pytest.mark.parametrize("text", GOLDEN)
def test_ids_are_the_known_ones(tokenizer, text):
    assert tokenizer.encode(text) == GOLDEN[text]
    assert tokenizer.decode(GOLDEN[text]) == text


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=40))
def test_ids_equal_a_plain_byte_pair_encoder(tokenizer, reference, text):
    ids = tokenizer.encode(text)
    assert ids == reference.encode(text)
    assert tokenizer.decode(ids) == text or not reference.knows(text)


def test_special_tokens_and_template_come_from_the_gguf(tokenizer, starter_path):
    config = json.loads((starter_path / "tokenizer_config.json").read_text())
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (1, 2, 2)
    assert len(tokenizer) == tokenizer.vocab_size == 49152
    rendered = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Hi"}], add_generation_prompt=True, tokenize=False
    )
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    assert rendered == (
        f"<|im_start|>system\n{system}<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
