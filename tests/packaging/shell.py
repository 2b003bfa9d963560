"""What shellcheck says about a script, or bash alone where it is missing."""

import shutil
import subprocess
import warnings


def complaints(script: str) -> str:
    """What is wrong with the text of a script with its first line; empty if nothing is."""
    checker = ["shellcheck", "-"]
    if shutil.which("shellcheck") is None:
        warnings.warn("shellcheck is missing: only the scripts' syntax is checked", stacklevel=2)
        checker = ["bash", "-n"]
    done = subprocess.run(checker, input=script, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr
