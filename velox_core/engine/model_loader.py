"""Loads a model folder, offline and without running any of its code."""

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.cache import KVCache, make_prompt_cache
from mlx_lm.utils import (
    dequantize_model,
    load_model,
    load_tokenizer,
    maybe_set_recommended_wired_limit,
)
from transformers.utils import logging as transformers_logging

from velox_core.builder import KVCacheBuilder
from velox_core.config import KVCacheConfig
from velox_core.engine.events import ModelInfo
from velox_core.engine.memory import device_memory, has_metal
from velox_core.engine.template import ChatTemplate
from velox_core.errors import ModelError
from velox_core.models.model_folder import ModelFacts, check_model_folder, read_json

logger = logging.getLogger(__name__)

Progress = Callable[[float, str], None]

# Read this much before looking at the cancel flag again.
_EVAL_NBYTES = 64 * 1024 * 1024
_DEFAULT_WINDOW = 2048


class LoadCancelledError(Exception):
    """Loading was stopped on request."""


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready, with all that belongs to it. Stays on the thread that loaded it.

    Attributes:
        model: mlx-lm's module.
        tokenizer: mlx-lm's ``TokenizerWrapper``.
        template: Renders conversations.
        eos_ids: Every token that ends a reply.
        info: The facts about the model that other threads may know.
    """

    model: Any
    tokenizer: Any
    template: ChatTemplate
    eos_ids: frozenset[int]
    info: ModelInfo


def load_folder(
    path: str, progress: Progress, cancel: threading.Event, is_metal: bool | None = None
) -> LoadedModel:
    """Load the model in the folder ``path``.

    Without a GPU the weights are dequantised and cast to float32, because half precision and
    quantised products are slow on a CPU.

    Args:
        path: An absolute path; names of repositories are not looked up.
        progress: Told the fraction done, 0 to 1, and the stage.
        cancel: Looked at between stages and parts of the weights.
        is_metal: Whether to keep the weights as they are; by default measured.

    Returns:
        The loaded model.

    Raises:
        ModelError: With one plain sentence, when the folder cannot be used.
        LoadCancelledError: When ``cancel`` was set.
    """
    folder = Path(path).expanduser().absolute()

    def enter(fraction: float, stage: str) -> None:
        if cancel.is_set():
            raise LoadCancelledError
        progress(fraction, stage)

    enter(0.0, "Checking the folder")
    facts = check_model_folder(folder)
    enter(0.05, "Reading the tokenizer")
    config = read_json(folder / "config.json")
    tokenizer = _load_tokenizer(folder, config)
    template = ChatTemplate(tokenizer)
    enter(0.2, "Building the model")
    model = _build_model(folder, keep_quantised=has_metal() if is_metal is None else is_metal)
    maybe_set_recommended_wired_limit()
    try:
        _read_weights(model, lambda done: enter(0.25 + 0.65 * done, "Reading the weights"))
        enter(0.9, "Trying the model")
        info = _describe(folder, model, facts, template)
    except (LoadCancelledError, ModelError):
        raise
    except Exception as error:
        logger.exception("reading or trying the model failed")
        raise ModelError(
            f"The model {folder.name} cannot be run: its weights are damaged or do not belong "
            "to its config.json; download it again."
        ) from error
    eos_ids = frozenset(_eos_ids(folder, tokenizer) | template.end_of_reply_ids())
    enter(1.0, "Ready")
    return LoadedModel(model, tokenizer, template, eos_ids, info)


def _load_tokenizer(folder: Path, config: dict[str, Any]) -> Any:
    # Its warnings go to the terminal past our log, and tell people nothing they can act on.
    transformers_logging.set_verbosity_error()
    try:
        return load_tokenizer(
            folder,
            {"local_files_only": True, "trust_remote_code": False},
            eos_token_ids=config.get("eos_token_id"),
        )
    except Exception as error:
        logger.exception("reading the tokenizer failed")
        raise ModelError(
            f"The tokenizer of {folder.name} is missing or damaged; download the model again."
        ) from error


def _build_model(folder: Path, *, keep_quantised: bool) -> Any:
    try:
        model, _ = load_model(folder, lazy=True, trust_remote_code=False)
        if not keep_quantised:
            # Scales first: dequantising in half precision would round the weights once more.
            model.set_dtype(mx.float32)
            model = dequantize_model(model)
    except Exception as error:
        logger.exception("building the model failed")
        raise ModelError(_build_failure(folder, error)) from error
    model.eval()
    return model


def _build_failure(folder: Path, error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"The model {folder.name} has no weights (*.safetensors); download it again."
    return (
        f"The model {folder.name} cannot be built: files are missing, damaged or of a kind that "
        "Velox cannot read; download it again or choose another model."
    )


def _read_weights(model: Any, told: Callable[[float], None]) -> None:
    """Evaluate the weights part by part; ``told`` gets the share that is read and may raise."""
    weights = [array for _, array in tree_flatten(model.parameters())]
    total = sum(array.nbytes for array in weights) or 1
    done = 0
    for part in _parts(weights):
        told(done / total)
        mx.eval(part)
        done += sum(array.nbytes for array in part)
    told(1.0)


def _parts(weights: Iterable[mx.array]) -> Iterable[list[mx.array]]:
    part: list[mx.array] = []
    nbytes = 0
    for array in weights:
        part.append(array)
        nbytes += array.nbytes
        if nbytes >= _EVAL_NBYTES:
            yield part
            part, nbytes = [], 0
    if part:
        yield part


def _describe(folder: Path, model: Any, facts: ModelFacts, template: ChatTemplate) -> ModelInfo:
    """Run one token through the model and read the facts off its caches."""
    caches = make_prompt_cache(model)
    logits = model(mx.array([[0]]), cache=caches)
    mx.eval(logits, [cache.state for cache in caches])
    plain = [cache for cache in caches if type(cache) is KVCache and not cache.empty()]
    bounded = KVCacheBuilder.for_model(model, KVCacheConfig())
    n_kv_heads, head_dim = (plain[0].keys.shape[1], plain[0].keys.shape[3]) if plain else (0, 0)
    per_token = sum(
        (cache.keys.nbytes + cache.values.nbytes) // cache.keys.shape[2] for cache in plain
    )
    return ModelInfo(
        path=str(folder),
        name=folder.name,
        n_layers=len(caches),
        n_bounded_layers=len(bounded.bounded),
        n_kv_heads=n_kv_heads,
        head_dim=head_dim,
        context_window=facts.context_window or _DEFAULT_WINDOW,
        weights_nbytes=sum(array.nbytes for _, array in tree_flatten(model.parameters())),
        bytes_per_token=per_token,
        notices=(*template.notices, *bounded.notices),
        working_set_nbytes=device_memory().working_set_nbytes if has_metal() else 0,
    )


def _eos_ids(folder: Path, tokenizer: Any) -> set[int]:
    """Every end token that config, generation config or tokenizer names."""
    ids = set(tokenizer.eos_token_ids)
    for name in ("config.json", "generation_config.json"):
        if (folder / name).is_file():
            try:
                value = read_json(folder / name).get("eos_token_id")
            except ModelError:
                continue
            values = value if isinstance(value, list) else [value]
            ids.update(number for number in values if isinstance(number, int))
    return ids
