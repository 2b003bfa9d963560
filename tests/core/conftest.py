"""A real hub on loopback with one model, and the real engine with a tiny one."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.core.downloads import NAME, WEIGHTS
from tests.core.engine_runner import EngineRunner
from tests.core.model_folders import write_model
from tests.hub_server import running_hub
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.events import ModelLoaded
from velox_core.models import download


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub with one model of 4 MB, and some files that nobody should fetch."""
    monkeypatch.setattr(download, "_RETRY_WAIT_S", 0.01)
    monkeypatch.setattr(download, "_TELL_EVERY_S", 0.0)
    folder = write_model(tmp_path / "hub" / "tiny")
    weights = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    save_file({"model.embed_tokens.weight": weights}, folder / WEIGHTS)
    for name in ("modeling.py", "pytorch_model.bin", "README.md", ".gitattributes"):
        (folder / name).write_text("import os")
    (folder / "LICENSE").write_text("free")
    with running_hub() as server:
        server.repositories[NAME] = folder
        yield server


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A model folder with a tiny random model, for reading only."""
    return make_tiny_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def runner(folder):
    """The real engine with that model loaded, driven in the test's own thread."""
    runner = EngineRunner()
    assert isinstance(runner.load(folder), ModelLoaded)
    return runner
