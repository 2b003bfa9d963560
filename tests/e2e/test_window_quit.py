"""Quitting the whole application: at any stage and in any way it ends in time, with status 0."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tiny_folder import make_tiny_folder

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]


def quit_at(stage: str, way: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.quit_window", stage, way],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    took = time.time() - float(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert took < 3.0


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A folder for data; a tiny model stands in for the starter."""
    folder = make_tiny_folder(tmp_path / "tiny", config={"max_position_embeddings": 100_000})
    (folder / "velox-starter.json").write_text(json.dumps({"format": 1, "files": {}}))
    monkeypatch.setenv("VELOX_HOME", str(tmp_path))
    monkeypatch.setenv("VELOX_STARTER", str(folder))
    return tmp_path


@pytest.mark.parametrize(
    ("stage", "way"),
    [
        ("import", "menu"),
        ("loading", "close"),
        ("ready", "system"),
        ("prefill", "signal"),
        ("stopped", "menu"),
    ],
)
def test_quitting_ends_in_time_with_status_0(home, stage, way) -> None:
    quit_at(stage, way)


def test_reply_cut_off_by_quitting_is_kept(home) -> None:
    quit_at("decode", "menu")
    with sqlite3.connect(home / "data" / "chats.db") as connection:
        rows = connection.execute("SELECT role, content, state FROM messages ORDER BY seq")
        (_, question, _), (_, reply, state) = rows.fetchall()
    assert question == "Tell me a story."
    assert reply and state == "stopped"
