import subprocess
import sys
from pathlib import Path

import pytest

from app.single_instance import SingleInstance

SECOND = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.single_instance import SingleInstance
app = QCoreApplication([])
sys.exit(0 if SingleInstance(Path(sys.argv[1])).acquire() else 3)
"""


@pytest.fixture
def first(tmp_path: Path, qapp):
    instance = SingleInstance(tmp_path / "data")
    yield instance
    instance.release()


def test_second_start_brings_the_first_to_the_front(first, tmp_path, qtbot) -> None:
    assert first.acquire()
    with qtbot.waitSignal(first.activation_requested, timeout=20_000):
        second = subprocess.Popen([sys.executable, "-c", SECOND, str(tmp_path / "data")])
    assert second.wait(20) == 3


def test_place_is_free_after_release_and_after_a_crash(first, tmp_path, qtbot) -> None:
    crash = SECOND.replace("sys.exit(", "import os; os._exit(9 + ")
    done = subprocess.run([sys.executable, "-c", crash, str(tmp_path / "data")], check=False)
    assert done.returncode == 9
    assert first.acquire()
    first.release()
    again = SingleInstance(tmp_path / "data")
    assert again.acquire()
    again.release()


def test_other_data_folder_is_another_instance(first, tmp_path, qtbot) -> None:
    assert first.acquire()
    other = SingleInstance(tmp_path / "elsewhere")
    assert other.acquire()
    other.release()


def test_folder_that_cannot_be_made_leaves_the_server_to_decide(tmp_path, qtbot) -> None:
    (tmp_path / "file").write_text("in the way")
    first = SingleInstance(tmp_path / "file" / "data")
    assert first.acquire()
    with qtbot.waitSignal(first.activation_requested, timeout=20_000):
        second = subprocess.Popen([sys.executable, "-c", SECOND, str(tmp_path / "file" / "data")])
    assert second.wait(20) == 3
    first.release()
