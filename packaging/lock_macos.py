"""Writes `requirements-macos.lock`: every package of the macOS build, one wheel and its hash each.

Run it after a dependency changed: ``python packaging/lock_macos.py``. Works on any system. Naming
the one wheel by its hash is what keeps a builder with a newer macOS from taking a wheel that would
not run on the oldest macOS that Velox promises.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bundle_info import MINIMUM_MACOS, ROOT
from licences import normal

PYTHON = "3.12"
LOCK = ROOT / "packaging" / "requirements-macos.lock"
WHEELS = ROOT / "build" / "macos-wheels"
_PLATFORM = f"macosx_{MINIMUM_MACOS.replace('.', '_')}_arm64"
_HEADER = f"""\
# The macOS build's packages: CPython {PYTHON}, Apple silicon, macOS {MINIMUM_MACOS} and newer.
# Made by packaging/lock_macos.py; do not edit.
"""


def resolve() -> str:
    """The pinned names and versions, one a line, as the macOS build needs them."""
    command = [sys.executable, "-m", "uv", "pip", "compile", str(ROOT / "pyproject.toml")]
    command += ["--extra", "packaging", "--constraint", str(ROOT / "constraints.txt"), "--quiet"]
    command += ["--python-platform", "aarch64-apple-darwin", "--python-version", PYTHON]
    command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    environment = {
        **os.environ,
        "MACOSX_DEPLOYMENT_TARGET": MINIMUM_MACOS,
        "UV_PYTHON_DOWNLOADS": "never",
    }
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def download(requirements: str, folder: Path, hashed: bool = False) -> None:
    """Fetch the macOS wheels of ``requirements`` into ``folder``, on any system.

    Args:
        requirements: The text of a requirements file.
        folder: Where the wheels go.
        hashed: Whether the text names hashes, and no other file may be taken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    listed = folder / "requirements.txt"
    listed.write_text(requirements, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--platform", _PLATFORM, "--python-version", PYTHON]
    command += ["--implementation", "cp", "--dest", str(folder), "--requirement", str(listed)]
    subprocess.run([*command, *(["--require-hashes"] if hashed else [])], check=True)
    listed.unlink()


def lock(requirements: str, folder: Path) -> str:
    """The text of the lock file for the wheels in ``folder``."""
    wheels = {normal(path.name.split("-")[0]): path for path in folder.glob("*.whl")}
    lines = [_HEADER]
    for line in requirements.splitlines():
        name, _, version = re.match(r"([\w.-]+)(==)(\S+)", line).groups()
        with wheels[normal(name)].open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        lines.append(f"{name}=={version} \\\n    --hash=sha256:{digest}\n")
    return "".join(lines)


def main() -> None:
    """Resolve, download and write the lock file."""
    requirements = resolve()
    for stale in WHEELS.glob("*.whl"):
        stale.unlink()
    download(requirements, WHEELS)
    LOCK.write_text(lock(requirements, WHEELS), encoding="utf-8")
    print(f"{LOCK.relative_to(ROOT)} names {len(list(WHEELS.glob('*.whl')))} wheels")


if __name__ == "__main__":
    main()
