"""Tiny random models from mlx-lm's own classes, and a way to feed them."""

from collections.abc import Iterable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models import llama

VOCABULARY = 97


def tiny_llama(n_layers: int = 2, n_heads: int = 4, n_kv_heads: int = 2, **args: Any) -> Any:
    """A random Llama with grouped-query attention; the same each time."""
    mx.random.seed(7)
    settings = {
        "model_type": "llama",
        "hidden_size": 32,
        "num_hidden_layers": n_layers,
        "intermediate_size": 64,
        "num_attention_heads": n_heads,
        "num_key_value_heads": n_kv_heads,
        "rms_norm_eps": 1e-5,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": False,
    }
    model = llama.Model(llama.ModelArgs(**{**settings, **args}))
    mx.eval(model.parameters())
    return model


def tokens(n: int, seed: int = 0) -> list[int]:
    """``n`` random token ids; the same each time."""
    return mx.random.randint(0, VOCABULARY, (n,), key=mx.random.key(seed)).tolist()


def feed(model: Any, caches: Sequence[Any], ids: Sequence[int], chunk: int = 1) -> mx.array:
    """Feed ``ids`` in chunks, as mlx-lm does; the logits ``(len(ids), vocabulary)``."""
    logits = []
    for start in range(0, len(ids), chunk):
        logits.append(model(mx.array([ids[start : start + chunk]]), cache=caches)[0])
        mx.eval(logits[-1], [cache.state for cache in caches])
    return mx.concatenate(logits)


def decode(model: Any, caches: Sequence[Any], ids: Iterable[int]) -> mx.array:
    """Feed ``ids`` one by one without looking at the caches' state, as mlx-lm's decode does."""
    logits = [model(mx.array([[i]]), cache=caches)[0] for i in ids]
    return mx.concatenate(logits)
