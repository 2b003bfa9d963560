"""The packaging scripts are no package: their folder is put on the path, as they do."""

import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

# `make test` does without the tools that build the application; `make test-app` installs them.
if importlib.util.find_spec("PyInstaller") is None:
    collect_ignore_glob = ["test_frozen*.py", "test_verifier.py"]


@pytest.fixture(scope="session")
def frozen() -> Iterator[object]:
    """The frozen application, installed once in a folder that every user may enter."""
    from tests.packaging.frozen import find_place, install
    from tests.packaging.world import make_world

    temporary = tempfile.TemporaryDirectory(prefix="velox-app-", dir=find_place())
    with temporary as folder, make_world() as world:
        Path(folder).chmod(0o755)
        yield install(Path(folder), world)


@pytest.fixture(scope="session")
def assembled() -> Path:
    """The macOS bundle for the verifier, assembled from the build folder of `make app`."""
    from assemble_macos import assemble

    return assemble()
