import subprocess
import sys
from dataclasses import replace

import pytest

from velox_core.models.fit import estimate_fit
from velox_core.models.model_folder import ModelFacts, check_model_folder

GB = 10**9
LLAMA_8B = ModelFacts("llama", int(4.5 * GB), 8 * GB, "4-bit", 131072, 131072, "full", True)


@pytest.mark.parametrize(("memory", "verdict"), [(4, "too large"), (5.5, "tight"), (8, "fits")])
def test_verdict_compares_the_range_with_the_memory(memory, verdict):
    fit = estimate_fit(LLAMA_8B, available_nbytes=int(memory * GB), gpu=True)
    assert fit.verdict == verdict
    assert 4.5 * GB < fit.low_nbytes < fit.high_nbytes < 7 * GB
    assert str(fit).startswith(f"{verdict}: about 4.8 GB to ")


def test_budget_moves_the_upper_end_only():
    small, large = (estimate_fit(LLAMA_8B, budget, gpu=True) for budget in (1024, 8192))
    assert large.high_nbytes - small.high_nbytes == 7168 * 131072
    assert large.low_nbytes == small.low_nbytes


def test_unbounded_layers_count_a_long_chat():
    native = replace(LLAMA_8B, cache_support="none")
    assert estimate_fit(native, 64, gpu=True) == estimate_fit(LLAMA_8B, 8192, gpu=True)


def test_without_a_gpu_weights_count_as_float32():
    assert estimate_fit(LLAMA_8B, gpu=False).low_nbytes > 32 * GB


@pytest.mark.starter
def test_estimate_holds_what_a_real_process_takes(starter_path):
    code = """
import sys, psutil
from velox_core.blas import import_mlx_lm
mlx_lm = import_mlx_lm()
import mlx.core as mx
from mlx_lm.utils import dequantize_model
model, tokenizer = mlx_lm.load(sys.argv[1])
if not mx.metal.is_available():
    model.set_dtype(mx.float32)
    model = dequantize_model(model)
mlx_lm.generate(model, tokenizer, [1] * 256, max_tokens=2)
print(psutil.Process().memory_info().rss)
mx.clear_streams()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(starter_path)], capture_output=True, text=True, check=True
    )
    fit = estimate_fit(check_model_folder(starter_path))
    assert fit.low_nbytes * 0.8 < int(done.stdout.split()[-1]) < fit.high_nbytes
