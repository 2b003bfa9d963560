"""Models found where people have them, offline and without loading anything."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.core.model_folders import write_model
from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models.discover import find_models, resolve_model
from velox_core.models.starter import STARTER_VARIABLE


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """A home without any model."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv(STARTER_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def write_snapshot(hub, repository, revision, main=None):
    repo = hub / f"models--{repository.replace('/', '--')}"
    folder = write_model(repo / "snapshots" / revision)
    if main:
        (repo / "refs").mkdir(exist_ok=True)
        (repo / "refs" / "main").write_text(main)
    return folder


@pytest.mark.parametrize(
    ("variable", "value", "hub"),
    [
        (None, None, ".cache/huggingface/hub"),
        ("HF_HOME", "hf", "hf/hub"),
        ("HF_HUB_CACHE", "elsewhere", "elsewhere"),
    ],
)
def test_hub_cache_is_found_through_its_variables(home, monkeypatch, variable, value, hub):
    if variable:
        monkeypatch.setenv(variable, str(home / value))
    write_snapshot(home / hub, "mlx-community/Tiny-4bit", "old", main="new")
    newest = write_snapshot(home / hub, "mlx-community/Tiny-4bit", "new")
    (home / hub / "datasets--a--b" / "snapshots" / "x").mkdir(parents=True)
    [model] = find_models()
    assert (model.name, model.source) == ("mlx-community/Tiny-4bit", "hub")
    assert model.path == str(newest)
    assert Path(model.path).is_absolute()
    assert model.problem is None


def test_vanished_main_reference_falls_back_to_the_newest_snapshot(home):
    folder = write_snapshot(home / ".cache/huggingface/hub", "a/b", "one", main="gone")
    assert [model.path for model in find_models()] == [str(folder)]


def test_lm_studio_and_own_and_added_folders_are_found(home):
    write_model(home / ".lmstudio/models/org/One")
    (home / "moved").mkdir()
    (home / ".lmstudio-home-pointer").write_text(str(home / "moved"))
    write_model(home / "moved/models/org/Two")
    write_model(paths.models_dir() / "org" / "Three")
    write_model(paths.models_dir() / ".partial" / "org" / "Unfinished")
    write_model(home / "mine" / "deep" / "Four")
    write_model(home / "Five")
    found = {m.name: m.source for m in find_models([home / "mine", home / "Five", home / "no"])}
    assert found == {
        "org/One": "lm-studio",
        "org/Two": "lm-studio",
        "org/Three": "velox",
        "deep/Four": "folder",
        "Five": "folder",
    }


def test_broken_models_are_listed_with_the_reason(home):
    folder = write_model(home / "models" / "Broken", shards=2)
    (folder / "model-00001-of-00002.safetensors").unlink()
    [model] = find_models([home / "models"])
    assert model.problem.startswith("The file model-00001-of-00002.safetensors is missing")
    assert model.facts is None
    assert model.fit() is None


def test_same_folder_is_listed_once(home):
    write_model(home / "models" / "One")
    (home / "link").symlink_to(home / "models")
    assert len(find_models([home / "models", home / "link", home / "models" / "One"])) == 1


def test_cancel_ends_the_search(home):
    write_model(home / "One")
    cancel = threading.Event()
    cancel.set()
    assert find_models([home / "One"], cancel) == []


def test_search_neither_imports_mlx_nor_opens_sockets(home):
    write_model(home / "One")
    code = (
        "import sys, socket; socket.socket = None\n"
        "from velox_core.models.discover import find_models\n"
        f"print(len(find_models([{json.dumps(str(home / 'One'))}])), 'mlx.core' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 False\n", "")


def test_model_is_named_by_folder_repository_or_last_part(home, monkeypatch):
    own = write_model(paths.models_dir() / "org" / "Small-4bit")
    for name in (str(own), "org/Small-4bit", "small-4bit", " ORG/small-4BIT "):
        assert resolve_model(name) == own
    with pytest.raises(ModelError, match=r"no model 'x' on this computer; there is org/Small-4bit"):
        resolve_model("x")
    write_model(paths.models_dir() / "other" / "Small-4bit")
    with pytest.raises(ModelError, match="More than one model is called small-4bit"):
        resolve_model("small-4bit")


def test_empty_computer_is_said(home):
    with pytest.raises(ModelError, match="no model on this computer yet"):
        resolve_model("anything")
    with pytest.raises(ModelError, match="no model on this computer yet"):
        resolve_model("")
