"""Turn the starter model's GGUF into a folder that mlx-lm loads.

Values are kept to the bit: mlx reads Q4_1 as its own affine 4-bit quantisation and Q8_0 as 8-bit,
both in groups of 32. Only ever used on a file whose hash was checked: mlx's GGUF reader trusts
what it reads.

Run as ``python -m velox_core.models.gguf_convert FILE FOLDER`` it converts in a process of its own,
so that a window's threads never meet mlx here, and stopping it is always possible.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import mlx.core as mx

from velox_core.models.tokenizer_build import write_tokenizer

_GROUP_SIZE = 32
_EMBEDDING = "model.embed_tokens"
_TOP_LEVEL = {"token_embd": _EMBEDDING, "output_norm": "model.norm"}
_IN_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def convert(gguf_file: Path, folder: Path) -> None:
    """Write weights, configurations and tokenizer of ``gguf_file`` into the existing ``folder``.

    The file must be the pinned starter model: a Llama with tied embeddings.
    """
    loaded: Any = mx.load(str(gguf_file), return_metadata=True)
    arrays, raw_metadata = loaded
    metadata = {key: _plain(value) for key, value in raw_metadata.items()}
    weights = convert_weights(arrays, metadata)
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    _write_json(folder / "config.json", model_config(metadata))
    _write_json(folder / "generation_config.json", generation_config(metadata))
    write_tokenizer(folder, metadata)


def convert_weights(arrays: dict[str, mx.array], metadata: dict[str, Any]) -> dict[str, mx.array]:
    """Give every array mlx-lm's name, row order and dtype.

    Args:
        arrays: What ``mx.load`` reads: packed weights, scales and biases, and float32 norms.
        metadata: The GGUF's fields as plain Python values.
    """
    heads = {
        "attn_q": metadata["llama.attention.head_count"],
        "attn_k": metadata["llama.attention.head_count_kv"],
    }
    scales_dtype = next(array.dtype for name, array in arrays.items() if name.endswith(".scales"))
    weights = {}
    for name, array in arrays.items():
        match = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(weight|scales|biases)", name)
        if match is None:
            raise ValueError(f"unexpected array {name}")
        layer, part, kind = match.groups()
        if part in heads:
            array = unpermute_rows(array, heads[part])
        if part.endswith("_norm"):
            array = array.astype(scales_dtype)
        target = _TOP_LEVEL[part] if layer is None else f"model.layers.{layer}.{_IN_LAYER[part]}"
        weights[f"{target}.{kind}"] = array
    return weights


def unpermute_rows(array: mx.array, n_heads: int) -> mx.array:
    """Undo llama.cpp's interleaving of each head's two rotary halves.

    llama.cpp rotates neighbouring rows together, mlx-lm (like transformers) rows half a head
    apart. Rows move whole, so this is exact for packed weights, scales and biases alike.

    Args:
        array: ``(n_heads * D, columns)``.
        n_heads: Query heads for q, key/value heads for k.
    """
    rows, columns = array.shape
    half = rows // n_heads // 2
    return array.reshape(n_heads, half, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def model_config(metadata: dict[str, Any]) -> dict[str, Any]:
    """The ``config.json`` of mlx-lm's Llama."""
    n_heads = metadata["llama.attention.head_count"]
    quantization = {"group_size": _GROUP_SIZE, "bits": 4, "mode": "affine"}
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": metadata["llama.embedding_length"],
        "num_hidden_layers": metadata["llama.block_count"],
        "intermediate_size": metadata["llama.feed_forward_length"],
        "num_attention_heads": n_heads,
        "num_key_value_heads": metadata["llama.attention.head_count_kv"],
        "head_dim": metadata["llama.embedding_length"] // n_heads,
        # Stored as float32: 9.99999974e-06 is meant to be 1e-05.
        "rms_norm_eps": float(f"{metadata['llama.attention.layer_norm_rms_epsilon']:.6g}"),
        "vocab_size": metadata["llama.vocab_size"],
        "rope_theta": metadata["llama.rope.freq_base"],
        "max_position_embeddings": metadata["llama.context_length"],
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
        "bos_token_id": metadata["tokenizer.ggml.bos_token_id"],
        "eos_token_id": metadata["tokenizer.ggml.eos_token_id"],
        "quantization": quantization | {_EMBEDDING: {"group_size": _GROUP_SIZE, "bits": 8}},
    }


def generation_config(metadata: dict[str, Any]) -> dict[str, Any]:
    """The ``generation_config.json``: a reply ends with its turn or with the text."""
    end_of_text = metadata["tokenizer.ggml.tokens"].index("<|endoftext|>")
    return {
        "bos_token_id": metadata["tokenizer.ggml.bos_token_id"],
        "eos_token_id": [metadata["tokenizer.ggml.eos_token_id"], end_of_text],
        "pad_token_id": metadata["tokenizer.ggml.padding_token_id"],
    }


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, mx.array) else value


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Convert the file and folder named on the command line."""
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
    mx.clear_streams()


if __name__ == "__main__":
    main()
