"""What all tests share: a home of their own, and the real starter model."""

from pathlib import Path

import pytest

from velox_core import paths
from velox_core.models import starter


@pytest.fixture(scope="session")
def starter_path() -> Path:
    """The converted starter model, set up once in the usual data folder (or VELOX_HOME's)."""
    return starter.install_starter()


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
