import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from velox_core import blas

ROOT = Path(__file__).parents[2]


def run(code, **environment):
    """Run ``code`` in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux's mlx needs it")
def test_openblas_answers_mlx_products_on_linux(tmp_path):
    code = """
import velox_core, os
import mlx.core as mx, numpy as np
a = mx.arange(12, dtype=mx.float32).reshape(3, 4)
assert np.array_equal(np.array(a @ a.T), np.array(a) @ np.array(a).T)
print("libopenblas" in open("/proc/self/maps").read(), os.environ["OPENBLAS_NUM_THREADS"])
"""
    assert run(code, VELOX_HOME=str(tmp_path)) == "True 1"


def test_open_files_limit_survives_importing_mlx_lm(tmp_path):
    code = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 3000))
from velox_core.blas import import_mlx_lm
import_mlx_lm().load
print(resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    assert run(code, VELOX_HOME=str(tmp_path)) == "(2048, 3000)"


def test_missing_library_is_an_oserror(monkeypatch, tmp_path):
    monkeypatch.setattr(blas, "_packages_dir", lambda: tmp_path)
    with pytest.raises(OSError, match="libgfortran"):
        blas._load_packaged()


# A second CPU device stands for the GPU, which Linux lacks.
DEVICES = """
import sys, threading, velox_core
import mlx.core as mx
mx.set_default_device(mx.Device(mx.cpu, 1))
from velox_core.blas import import_mlx_lm
import_mlx_lm()
told = [mx.default_device(), sys.modules["mlx_lm.generate"].generation_stream.device]
thread = threading.Thread(target=lambda: told.append(mx.default_device()))
thread.start()
thread.join()
print(*told, sep=" | ")
"""


@pytest.mark.parametrize(("value", "index"), [("cpu", 0), (" CPU\n", 0), ("", 1), ("gpu", 1)])
def test_device_variable_moves_all_of_mlx_to_the_cpu(tmp_path, value, index):
    told = run(DEVICES, VELOX_HOME=str(tmp_path), VELOX_DEVICE=value).split(" | ")
    assert told == [f"Device(cpu, {index})"] * 3


COMPILED = """
import os, sys
if os.environ["TEST_FROZEN"]:
    sys.frozen = True
from velox_core.blas import import_mlx_lm
import_mlx_lm()
import mlx.core as mx
from mlx_lm.models.activations import swiglu
x = mx.array([-2.0, 0.0, 3.0])
assert mx.allclose(swiglu(x, x), x * x / (1 + mx.exp(-x)), atol=1e-6)
print(os.listdir(os.environ["TMPDIR"]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a Mac compiles for its GPU")
@pytest.mark.parametrize("frozen", ["yes", ""])
def test_packaged_application_loads_no_code_from_the_temporary_folder(tmp_path, frozen):
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    told = run(COMPILED, VELOX_HOME=str(tmp_path), TMPDIR=str(temporary), TEST_FROZEN=frozen)
    has_compiler = shutil.which("g++") is not None
    assert told == ("[]" if frozen or not has_compiler else "['mlx']")
