"""One model folder: can it be used, and what is in it? Reads files only, never imports mlx."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from velox_core.errors import ModelError
from velox_core.models.support import (
    CacheSupport,
    cache_support,
    is_supported,
    required_keys,
    text_config,
)
from velox_core.models.weight_files import Tensor, count_parameters, read_weights

_MAX_JSON_NBYTES = 50_000_000
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer.model",
    "tekken.json",
    "vocab.json",
    "tokenizer.py",
)
_WINDOW_KEYS = (
    "max_position_embeddings",
    "max_sequence_length",
    "seq_length",
    "n_positions",
    "n_ctx",
    "max_seq_len",
)
_DTYPE_BITS = {"F32": 32, "F16": 16, "BF16": 16, "F8_E4M3": 8, "F8_E5M2": 8}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a folder's files say about its model.

    Attributes:
        model_type: mlx-lm's name of the architecture.
        weights_nbytes: Bytes of all weights as stored.
        n_parameters: Number of weights; quantised ones count as what they stand for.
        quantization: As people read it: "4-bit", "16-bit".
        context_window: The longest text in tokens that the model was trained for; None if unknown.
        bytes_per_token: What one token costs in a full 16-bit KV cache; None if unknown.
        cache_support: Which layers the bounded cache can take.
        has_chat_template: Whether the model was made for chats.
    """

    model_type: str
    weights_nbytes: int
    n_parameters: int
    quantization: str
    context_window: int | None
    bytes_per_token: int | None
    cache_support: CacheSupport
    has_chat_template: bool


def check_model_folder(path: str | Path) -> ModelFacts:
    """Check everything about a model folder that can be known before it is loaded.

    Args:
        path: An absolute path; names of repositories are not looked up.

    Returns:
        What the files say.

    Raises:
        ModelError: With one plain sentence, when the folder cannot be used.
    """
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise ModelError(f"There is no folder {folder}; choose another model.")
    config = check_config(folder)
    tensors = read_weights(folder)
    check_tokenizer(folder)
    model_type = str(config["model_type"])
    return ModelFacts(
        model_type=model_type,
        weights_nbytes=sum(file.stat().st_size for file in folder.glob("model*.safetensors")),
        n_parameters=count_parameters(tensors, _group_sizes(config)),
        quantization=_quantization(config, tensors),
        context_window=context_window(config),
        bytes_per_token=_bytes_per_token(text_config(config)),
        cache_support=cache_support(config),
        has_chat_template=_has_chat_template(folder),
    )


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object that anybody may have written.

    Raises:
        ModelError: With one plain sentence.
    """
    try:
        if path.stat().st_size > _MAX_JSON_NBYTES:
            raise ValueError("too large")
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError("no object")
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path.name} is damaged; download the model again.") from error
    return content


def context_window(config: dict[str, Any]) -> int | None:
    """The longest text in tokens that the model was trained for, or None."""
    text = text_config(config)
    return next((n for key in _WINDOW_KEYS if (n := _number(text, key))), None)


def check_config(folder: Path) -> dict[str, Any]:
    """Read ``config.json`` and check that mlx-lm can build a model from it.

    Raises:
        ModelError: With one plain sentence, when it cannot.
    """
    path = folder / "config.json"
    if not path.is_file():
        if next(folder.glob("*.gguf"), None) is not None:
            raise ModelError(
                "The weights are in GGUF format, which Velox cannot use; "
                "look for the model's version for MLX."
            )
        raise ModelError(f"{folder.name} is not a model folder: it has no config.json.")
    config = read_json(path)
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise ModelError("config.json does not name a model_type; download the model again.")
    if "model_file" in config:
        raise ModelError(
            "The model wants to run code of its own, which Velox never does; choose another model."
        )
    if not is_supported(model_type):
        shown = model_type[:40]
        if "vision_config" in config or "audio_config" in config:
            raise ModelError(
                f"This is a model for pictures or sound ({shown!r}), and Velox only chats in text; "
                "choose another model."
            )
        raise ModelError(
            f"Models of the type {shown!r} are not supported yet; choose another model."
        )
    missing = [key for key in required_keys(model_type) if key not in config]
    if missing:
        raise ModelError(f"config.json lacks {', '.join(missing[:4])}; download the model again.")
    return config


def check_tokenizer(folder: Path) -> None:
    """Check that a tokenizer is there and can be read.

    Raises:
        ModelError: With one plain sentence, when it cannot.
    """
    if not any((folder / name).is_file() for name in _TOKENIZER_FILES):
        raise ModelError("The tokenizer is missing; download the model again.")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            read_json(folder / name)


def _has_chat_template(folder: Path) -> bool:
    if any((folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    path = folder / "tokenizer_config.json"
    config = read_json(path) if path.is_file() else {}
    return bool(config.get("chat_template") or config.get("chat_template_type"))


def _quantization_config(config: dict[str, Any]) -> dict[str, Any]:
    for part in (config, text_config(config)):
        for key in ("quantization", "quantization_config"):
            if isinstance(part.get(key), dict):
                found: dict[str, Any] = part[key]
                return found
    return {}


def _group_sizes(config: dict[str, Any]) -> dict[str, int]:
    """Weights per scale by module; ``""`` is the rule for the rest."""
    found = _quantization_config(config)
    sizes = {"": _number(found, "group_size") or 64}
    for module, entry in found.items():
        if isinstance(entry, dict) and (size := _number(entry, "group_size")):
            sizes[module] = size
    return sizes


def _quantization(config: dict[str, Any], tensors: dict[str, Tensor]) -> str:
    found = _quantization_config(config)
    if bits := _number(found, "bits"):
        return f"{bits}-bit"
    method = str(found.get("quant_method", ""))
    if method:
        return {"mxfp4": "4-bit", "mxfp8": "8-bit", "fp8": "8-bit"}.get(method, method[:20])
    sizes: dict[str, int] = {}
    for tensor in tensors.values():
        sizes[tensor.dtype] = sizes.get(tensor.dtype, 0) + tensor.size
    main = max(sizes, key=lambda dtype: sizes[dtype], default="")
    return f"{_DTYPE_BITS[main]}-bit" if main in _DTYPE_BITS else "unknown"


def _bytes_per_token(text: dict[str, Any]) -> int | None:
    """Keys and values of one token over all layers, 16 bits each."""
    n_layers = _number(text, "num_hidden_layers") or _number(text, "n_layer")
    n_heads = _number(text, "num_attention_heads") or _number(text, "n_head")
    hidden = _number(text, "hidden_size") or _number(text, "n_embd")
    head_dim = _number(text, "head_dim") or (hidden // n_heads if hidden and n_heads else None)
    n_kv_heads = _number(text, "num_key_value_heads") or n_heads
    if not (n_layers and n_kv_heads and head_dim):
        return None
    return 2 * 2 * n_layers * n_kv_heads * head_dim


def _number(part: dict[str, Any], key: str) -> int | None:
    """A positive whole number below any real model's sizes, or None."""
    value = part.get(key)
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40
    return value if usable else None
