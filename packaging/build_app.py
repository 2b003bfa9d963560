"""Builds the packaged application under ``dist/``; `make app` calls it.

On macOS it hands over to ``build_macos.sh``. Elsewhere the same recipe gives the frozen folder
``dist/Velox``, so that Linux can run and test what a Mac will ship.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

PACKAGING = Path(__file__).resolve().parent
ROOT = PACKAGING.parent
sys.path[:0] = [str(PACKAGING), str(ROOT)]

import release_info
from verify_app import verify


def freeze(dist: Path, work: Path) -> Path:
    """Freeze the application; return the folder, or the ``.app`` on macOS.

    Raises:
        SystemExit: If the starter model or the build fails; the reason was printed.
    """
    release_info.releases_url()  # a wrong one is said before minutes of work
    starter = _starter()
    # A venv's own variables and user site would let other packages in.
    environment = {
        **os.environ,
        "VELOX_STARTER": str(starter),
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "1",
        "PYINSTALLER_CONFIG_DIR": str(work / "cache"),
    }
    command = [sys.executable, "-m", "PyInstaller", str(PACKAGING / "velox.spec"), "--noconfirm"]
    command += ["--log-level", "WARN", "--distpath", str(dist), "--workpath", str(work)]
    started = time.monotonic()
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        raise SystemExit("The application could not be frozen; the lines above say why.")
    built = dist / ("Velox.app" if sys.platform == "darwin" else "Velox")
    print(f"{built}: built in {time.monotonic() - started:.0f} s")
    return built


def _starter() -> Path:
    from velox_core.errors import VeloxError
    from velox_core.models.starter import install_starter

    try:
        return install_starter()
    except VeloxError as error:
        raise SystemExit(str(error)) from error


def main() -> int:
    """Build and examine; ``--freeze`` only builds, as build_macos.sh wants it. The exit status."""
    if sys.argv[1:] == ["--freeze"]:
        freeze(ROOT / "dist", ROOT / "build")
        return 0
    if sys.platform == "darwin":
        return subprocess.call([str(PACKAGING / "build_macos.sh")])
    built = freeze(ROOT / "dist", ROOT / "build")
    faults = verify(built, (str(ROOT), sys.prefix))
    for fault in faults:
        print(f"FAULT: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
