"""Quitting at any moment: the process ends with status 0, soon, and says nothing."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tiny_folder import make_tiny_folder

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]
STAGES = ("import", "weights", "prefill", "decode")
RUNS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return make_tiny_folder(
        tmp_path_factory.mktemp("models") / "tiny", config={"max_position_embeddings": 100_000}
    )


def quit_at(stage: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.gui.quit_at", stage, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    took = time.time() - float(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert took < 3.0


@pytest.mark.parametrize("stage", STAGES)
def test_quitting_ends_with_status_0_in_every_run(folder, stage) -> None:
    for _ in range(RUNS):
        quit_at(stage, folder)


@pytest.mark.starter
@pytest.mark.parametrize("stage", STAGES[1:])
def test_quitting_with_the_starter_model_ends_with_status_0(starter_path, stage) -> None:
    quit_at(stage, starter_path)
