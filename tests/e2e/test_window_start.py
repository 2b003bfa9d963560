"""The window is there at once; everything heavy comes after it, on other threads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]

# Counted is processor time: what else runs on the machine must not decide this test.
SCRIPT = """
import json, sys, time
from PySide6.QtCore import QTimer
import app.main as application

class Shown(application.Velox):
    def start(self):
        super().start()
        heavy = [name for name in ("mlx", "mlx_lm", "transformers") if name in sys.modules]
        print(json.dumps([self.window.isVisible(), heavy, time.process_time()]))
        QTimer.singleShot(0, self.quit)

application.Velox = Shown
raise SystemExit(application.run())
"""


def test_window_is_shown_within_a_second_and_before_mlx_is_imported(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "VELOX_STARTER": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    is_visible, heavy, seconds = json.loads(done.stdout)
    assert is_visible and heavy == []
    assert seconds < 1.0
