"""The converted starter model in the real mlx-lm, against an independent reading of its GGUF."""

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.utils import dequantize_model

from tests.core.llama_reference import LlamaReference
from velox_core.blas import import_mlx_lm

pytestmark = [pytest.mark.starter, pytest.mark.xdist_group("starter_model")]


@pytest.fixture(scope="module")
def loaded(starter_path):
    """Model and tokenizer; float32, without quantisation."""
    model, tokenizer = import_mlx_lm().load(str(starter_path))
    model.set_dtype(mx.float32)
    return dequantize_model(model), tokenizer


def test_greedy_answer_names_paris(loaded):
    model, tokenizer = loaded
    question = "What is the capital of France? Answer in one sentence."
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], add_generation_prompt=True
    )
    reply = import_mlx_lm().generate(model, tokenizer, prompt, max_tokens=20)
    assert reply == "The capital of France is Paris."


def test_logits_equal_an_independent_reading_of_the_gguf(loaded, starter_gguf):
    model, tokenizer = loaded
    ids = tokenizer.encode("The quick brown fox jumps over the dog. In 1969, people walked on the")
    expected = LlamaReference(starter_gguf).logits(ids)
    logits = np.array(model(mx.array([ids]))[0])
    np.testing.assert_allclose(logits, expected, rtol=0, atol=2e-4)
    np.testing.assert_array_equal(logits.argmax(-1), expected.argmax(-1))


def test_stored_weights_are_quantised_in_half_precision(starter_path):
    weights = mx.load(str(starter_path / "model.safetensors"))
    assert {array.dtype for array in weights.values()} == {mx.float16, mx.uint32}
    assert weights["model.layers.0.self_attn.q_proj.weight"].shape == (576, 576 * 4 // 32)
    assert weights["model.embed_tokens.weight"].shape == (49152, 576 * 8 // 32)
    assert "lm_head.weight" not in weights
