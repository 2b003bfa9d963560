"""A chat of 1,000 messages in the whole window: opened at once, in little memory."""

import json
import subprocess
import sys

import pytest

from tests.e2e.velox import ROOT


@pytest.mark.alone
def test_a_chat_of_1000_messages_opens_within_a_second_in_250_mb():
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.large_chat"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["opened_s"] < 1.0
    assert measured["nbytes"] < 250e6
