"""Runs the command ``velox`` the way a person does, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def velox(*arguments: str, stdin: str = "", timeout: float = 120) -> subprocess.CompletedProcess:
    """Run ``velox`` to its end; it inherits the test's VELOX_HOME."""
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def ask_json(*arguments: str) -> list[dict]:
    """Run ``velox ask --json`` and read its objects, one a turn."""
    done = velox("ask", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
