"""One tiny random model of every kind that treats its cache differently, from mlx-lm's classes."""

import importlib
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from tests.tiny_model import VOCABULARY, tiny_llama

WINDOW = 64
"""The trained window of the models that have one here."""

COMMON = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": WINDOW,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}


@dataclass(frozen=True)
class Kind:
    """A kind of model: how to build it and what a builder should find."""

    module: str
    args: dict[str, Any]
    bounded: tuple[int, ...]
    unbounded: dict[int, str] = field(default_factory=dict)
    text_config: bool = False


SLIDES, RECURS = "RotatingKVCache is no plain KV cache", "ArraysCache is no plain KV cache"

KINDS = {
    "llama, grouped heads": Kind("llama", {}, (0, 1)),
    "llama3 rope": Kind("llama", {"rope_scaling": LLAMA3}, (0, 1)),
    "yarn rope": Kind("llama", {"rope_scaling": YARN}, (0, 1)),
    "qwen3": Kind(
        "qwen3",
        {"num_hidden_layers": 2, "head_dim": 8, "tie_word_embeddings": True, "rope_theta": 1000.0},
        (0, 1),
    ),
    "phi3": Kind("phi3", {"num_hidden_layers": 2, "partial_rotary_factor": 0.5}, (0, 1)),
    "mistral": Kind(
        "mistral3", {"model_type": "mistral", "num_hidden_layers": 2}, (0, 1), text_config=True
    ),
    "gemma3_text": Kind(
        "gemma3_text",
        {"num_hidden_layers": 4, "head_dim": 8, "sliding_window": 16, "sliding_window_pattern": 2},
        (1, 3),
        {0: SLIDES, 2: SLIDES},
    ),
    "gpt_oss": Kind(
        "gpt_oss",
        {
            "num_hidden_layers": 2,
            "head_dim": 8,
            "sliding_window": 16,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "rope_scaling": {
                "rope_type": "yarn",
                "factor": 4.0,
                "original_max_position_embeddings": 16,
            },
        },
        (1,),
        {0: SLIDES},
    ),
    "qwen3_next": Kind(
        "qwen3_next",
        {
            "num_hidden_layers": 4,
            "head_dim": 16,
            "linear_num_value_heads": 2,
            "linear_num_key_heads": 2,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "linear_conv_kernel_dim": 3,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "decoder_sparse_step": 1,
            "shared_expert_intermediate_size": 32,
            "mlp_only_layers": [0],
            "moe_intermediate_size": 32,
            "rope_theta": 1000.0,
            "partial_rotary_factor": 0.5,
        },
        (3,),
        {0: RECURS, 1: RECURS, 2: RECURS},
    ),
    "deepseek_v3": Kind(
        "deepseek_v3",
        {
            "num_hidden_layers": 2,
            "kv_lora_rank": 4,
            "q_lora_rank": 4,
            "qk_rope_head_dim": 8,
            "v_head_dim": 8,
            "qk_nope_head_dim": 8,
            "moe_intermediate_size": 32,
            "n_routed_experts": None,
        },
        (),
        dict.fromkeys((0, 1), "its keys and values differ in width"),
    ),
    "gemma3n": Kind(
        "gemma3n",
        {
            "model_type": "gemma3n",
            "num_hidden_layers": 4,
            "head_dim": 8,
            "num_kv_shared_layers": 2,
            "vocab_size_per_layer_input": VOCABULARY,
            "sliding_window": 16,
            "rope_local_base_freq": 1.0,
            "rope_theta": 1000.0,
            "final_logit_softcapping": 1.0,
            "layer_types": ["sliding_attention", "full_attention"] * 2,
            "activation_sparsity_pattern": [0.0] * 4,
            "hidden_size_per_layer_input": 8,
            "altup_num_inputs": 1,
            "altup_coef_clip": 1.0,
            "altup_correct_scale": True,
            "altup_active_idx": 0,
            "laurel_rank": 4,
        },
        (1,),
        {0: SLIDES},
        text_config=True,
    ),
    "mamba": Kind(
        "mamba",
        {
            "num_hidden_layers": 2,
            "state_size": 4,
            "conv_kernel": 4,
            "use_bias": False,
            "use_conv_bias": True,
            "time_step_rank": 4,
        },
        (),
        {0: RECURS, 1: RECURS},
    ),
}


def build(name: str) -> Any:
    """The tiny model called ``name`` in :data:`KINDS`; the same each time."""
    kind = KINDS[name]
    if kind.module == "llama":
        return tiny_llama(max_position_embeddings=WINDOW, **kind.args)
    mx.random.seed(7)
    module = importlib.import_module(f"mlx_lm.models.{kind.module}")
    args = {"model_type": kind.module, **COMMON, **kind.args}
    if kind.text_config:
        args = {"model_type": kind.module, "text_config": args}
    model = module.Model(module.ModelArgs.from_dict(args))
    mx.eval(model.parameters())
    return model
