"""Small model folders as they lie on disks, whole and broken."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "vocab_size": 100,
    "max_position_embeddings": 4096,
}


def write_model(folder: Path, shards: int = 1, **changes) -> Path:
    """Write a model of 100 x 64 half-precision weights; a change of None removes the key."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in (CONFIG | changes).items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    rows = np.array_split(np.zeros((100, 64), np.float16), shards)
    if shards == 1:
        save_file({"model.embed_tokens.weight": rows[0]}, folder / "model.safetensors")
        return folder
    names = [f"model-{i + 1:05d}-of-{shards:05d}.safetensors" for i in range(shards)]
    for i, name in enumerate(names):
        save_file({f"part{i}.weight": rows[i]}, folder / name)
    weight_map = {f"part{i}.weight": name for i, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder
