"""A model folder small enough for tests: a random tiny Llama, a real byte-level tokenizer."""

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models import llama
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = ("<think>", "</think>")
WINDOW = 4096


def make_tiny_folder(
    folder: Path,
    *,
    template: str | None = CHATML,
    config: dict[str, Any] | None = None,
    seed: int = 0,
) -> Path:
    """Write the folder and return it. Each byte is a token; ids from 256 are control tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_tokenizer(folder, template)
    settings: dict[str, Any] = {
        "model_type": "llama",
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "intermediate_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rms_norm_eps": 1e-5,
        "vocab_size": 264,
        "max_position_embeddings": WINDOW,
        "rope_theta": 10000.0,
        "tie_word_embeddings": True,
        "eos_token_id": 258,
    } | (config or {})
    (folder / "config.json").write_text(json.dumps(settings))
    mx.random.seed(seed)
    model = llama.Model(llama.ModelArgs.from_dict(settings))
    # Large enough that the next token depends on what the cache holds.
    weights = {name: array * 8 for name, array in tree_flatten(model.parameters())}
    mx.save_safetensors(str(folder / "model.safetensors"), weights, {"format": "mlx"})
    return folder


def _write_tokenizer(folder: Path, template: str | None) -> None:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({char: n for n, char in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL])
    tokenizer.add_tokens([AddedToken(text, special=False) for text in TAGS])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": SPECIAL[0],
        "eos_token": SPECIAL[2],
        "clean_up_tokenization_spaces": False,
    }
    if template is not None:
        settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
