"""The converted starter model in the real mlx-lm."""

import mlx.core as mx
import pytest
from mlx_lm.utils import dequantize_model

from velox_core.blas import import_mlx_lm

pytestmark = pytest.mark.starter


def test_greedy_answer_names_paris(starter_path):
    mlx_lm = import_mlx_lm()
    model, tokenizer = mlx_lm.load(str(starter_path))
    model.set_dtype(mx.float32)
    model = dequantize_model(model)
    question = "What is the capital of France? Answer in one sentence."
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], add_generation_prompt=True
    )
    reply = mlx_lm.generate(model, tokenizer, prompt, max_tokens=20)
    assert reply == "The capital of France is Paris."
