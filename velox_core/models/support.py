"""What the pinned mlx-lm can run, known without importing it.

The two tables of model types follow mlx-lm 0.32.2; a test compares them with its source.
"""

import ast
import importlib.util
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

CacheSupport = Literal["full", "partly", "none"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# mlx_lm.utils.MODEL_REMAPPING: types that another type's code runs.
REMAPPED = {
    "mistral": "llama",
    "llava": "mistral3",
    "phi-msft": "phixtral",
    "falcon_mamba": "mamba",
    "joyai_llm_flash": "deepseek_v3",
    "kimi_k2": "deepseek_v3",
    "qwen2_5_vl": "qwen2_vl",
    "minimax_m2": "minimax",
    "iquestcoder": "llama",
    "xverse": "llama",
    "gemma4_unified": "gemma4",
    "deepseek_v41_text": "deepseek_v41",
}
# Sliding-window, chunked or recurrent layers beside plain ones: only the plain ones are bounded.
PARTLY_BOUNDED = _names("""
    afmoe baichuan_m1 bailing_moe_linear cohere2 exaone4 exaone_moe falcon_h1 gear gemma3
    gemma3_text gemma3n gemma4 gemma4_text gpt_oss granitemoehybrid iquestloopcoder jamba
    laguna lfm2 lfm2-vl lfm2_moe llama4 mellum mimo_v2_flash muse_glimmer muse_spark nemotron_h
    olmo3 olmo_hybrid plamo2 plamo3 prism_hadamard_qwen35 qwen3_5 qwen3_5_moe qwen3_next
    spark2_5 step3p5
""")
# Recurrent throughout, or attention in a latent space whose keys and values differ in width.
NEVER_BOUNDED = _names("""
    bailing_hybrid bailing_moe_v3 deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v41
    glm4_moe_lite glm_moe_dsa kimi_k25 kimi_k3 kimi_linear kimi_vl longcat_flash
    longcat_flash_ngram mamba mamba2 minicpm3 mistral4 recurrent_gemma rwkv7 youtu_llm
""")
# Files in mlx_lm/models that are no models.
_HELPERS = _names("""
    activations base bitlinear_layers cache gated_delta mla pipeline rope_utils ssm
    switch_layers
""")


def _models_folder() -> Path | None:
    spec = importlib.util.find_spec("mlx_lm")
    locations = spec.submodule_search_locations if spec else None
    return Path(next(iter(locations))) / "models" if locations else None


@cache
def supported_types() -> frozenset[str]:
    """Every ``model_type`` that mlx-lm has code for."""
    folder = _models_folder()
    names = {module.name for module in pkgutil.iter_modules([str(folder)])} if folder else set()
    names -= _HELPERS
    return frozenset(names | {kind for kind, code in REMAPPED.items() if code in names})


def is_supported(model_type: str) -> bool:
    """Whether mlx-lm can run models of this type; where its files cannot be listed, assume it."""
    return not supported_types() or model_type in supported_types()


def cache_support(config: dict[str, Any]) -> CacheSupport:
    """Which of a model's layers the bounded cache can take: all, some or none."""
    kind = REMAPPED.get(str(config.get("model_type")), str(config.get("model_type")))
    text = text_config(config)
    if kind in NEVER_BOUNDED:
        return "none"
    layer_types = text.get("layer_types")
    sliding = isinstance(layer_types, list) and any(t != "full_attention" for t in layer_types)
    return "partly" if kind in PARTLY_BOUNDED or sliding else "full"


def text_config(config: dict[str, Any]) -> dict[str, Any]:
    """The part of a configuration that describes the language model."""
    part = config.get("text_config")
    return config | part if isinstance(part, dict) else config


@cache
def required_keys(model_type: str) -> tuple[str, ...]:
    """Keys that a ``config.json`` of this type must have.

    Read from the source of mlx-lm's ``ModelArgs``; empty where the source is not at hand.
    """
    folder = _models_folder()
    path = folder / f"{REMAPPED.get(model_type, model_type)}.py" if folder else None
    if path is None or not path.is_file():
        return ()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == "ModelArgs":
            return tuple(_fields_without_default(node))
    return ()


def _fields_without_default(node: ast.ClassDef) -> Iterator[str]:
    own_reading = any(
        isinstance(item, ast.FunctionDef) and item.name == "from_dict" for item in node.body
    )
    for field in () if own_reading else node.body:
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and field.value is None
        ):
            yield field.target.id
