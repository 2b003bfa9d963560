"""The starter model's tokenizer, built from the lists that its GGUF carries.

transformers can read a GGUF's tokenizer too, but drops SmolLM's splitting of digits: "2024" would
become other tokens than the model was trained on.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

# llama.cpp's token types (gguf.TokenType): what is matched whole in a text, before splitting.
_CONTROL = 3
_USER_DEFINED = 4


def build_tokenizer(
    tokens: Sequence[str], merges: Sequence[str], token_types: Sequence[int]
) -> Tokenizer:
    """Build SmolLM's byte-level BPE: single digits are split off first.

    Args:
        tokens: The vocabulary by id, in GPT-2's printable spelling of bytes.
        merges: Pairs to be merged, as "left right", the most frequent first.
        token_types: One of llama.cpp's types for each token.
    """
    tokenizer = Tokenizer(
        models.BPE(
            vocab={token: index for index, token in enumerate(tokens)},
            merges=[(left, right) for left, right in (merge.split(" ") for merge in merges)],
        )
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    typed = list(zip(tokens, token_types, strict=True))
    tokenizer.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token, t in typed if t == _CONTROL]
    )
    tokenizer.add_tokens(
        [AddedToken(token, normalized=False) for token, t in typed if t == _USER_DEFINED]
    )
    return tokenizer


def write_tokenizer(folder: Path, metadata: dict[str, Any]) -> None:
    """Write ``tokenizer.json`` and ``tokenizer_config.json`` from a GGUF's metadata.

    Args:
        folder: The model's folder.
        metadata: The GGUF's fields as plain Python values.
    """
    tokens = metadata["tokenizer.ggml.tokens"]
    tokenizer = build_tokenizer(
        tokens, metadata["tokenizer.ggml.merges"], metadata["tokenizer.ggml.token_type"]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": tokens[metadata["tokenizer.ggml.bos_token_id"]],
        "eos_token": tokens[metadata["tokenizer.ggml.eos_token_id"]],
        "pad_token": tokens[metadata["tokenizer.ggml.padding_token_id"]],
        "unk_token": tokens[metadata["tokenizer.ggml.unknown_token_id"]],
        "add_prefix_space": metadata["tokenizer.ggml.add_space_prefix"],
        "clean_up_tokenization_spaces": False,
        "model_max_length": metadata["llama.context_length"],
        "chat_template": metadata["tokenizer.chat_template"],
    }
    text = json.dumps(config, indent=2, ensure_ascii=False)
    (folder / "tokenizer_config.json").write_text(text + "\n", encoding="utf-8")
