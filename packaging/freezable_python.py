"""Chooses the environment that the application is frozen from; the Makefile calls it on Linux.

PyInstaller copies Python's shared library, which some builds of Python lack. The project's own
environment is used if its Python has one (nothing is printed); otherwise another Python of this
machine gets an environment below ``build/`` (make's variables for that are printed). As root on
Debian the missing library is installed first.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM = Path("/usr/bin")
VERSIONS = ("3.12", "3.13", "3.11")
ENVIRONMENT = "build/environment"
# Where PyInstaller looks: beside the installation, and, for a library that it was built with, where
# the system's loader finds it.
HAS_LIBRARY = """
import ctypes, pathlib, sys, sysconfig
shared = sysconfig.get_config_var("Py_ENABLE_SHARED")
usual = "libpython%d.%d.so.1.0" % sys.version_info[:2]
name = sysconfig.get_config_var("INSTSONAME") if shared else usual
prefix = pathlib.Path(sys.base_prefix)
found = (prefix / name).exists() or (prefix / "lib" / name).exists()
if not found and shared:
    try:
        found = bool(ctypes.CDLL(name))
    except OSError:
        pass
sys.exit(not found)
"""
# Debian keeps what an environment begins with in a package of its own.
CAN_MAKE_ENVIRONMENT = "import ensurepip, venv"


def can_be_frozen(python: str) -> bool:
    """Whether PyInstaller can freeze an application of the interpreter ``python``."""
    return _runs(python, HAS_LIBRARY)


def _runs(python: str, code: str) -> bool:
    try:
        return subprocess.run([python, "-c", code], capture_output=True).returncode == 0
    except OSError:
        return False


def others() -> list[str]:
    """The other interpreters of this machine that Velox runs on, best first."""
    names = [f"python{version}" for version in VERSIONS]
    found = [shutil.which(name) for name in names]
    found += [str(SYSTEM / name) for name in names]
    return list(dict.fromkeys(path for path in found if path and os.access(path, os.X_OK)))


def install_library() -> None:
    """As root on Debian: install the shared library of the Python in use and of the system's."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    for version in dict.fromkeys((f"{sys.version_info[0]}.{sys.version_info[1]}", *VERSIONS)):
        if (SYSTEM / f"python{version}").exists():
            command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
            command += [f"libpython{version}", f"python{version}-venv"]
            subprocess.run(command, stdout=sys.stderr, check=False)


def choose(own: str) -> str:
    """The make variables for the environment to freeze from; empty for the one of ``own``.

    Raises:
        SystemExit: If no Python of this machine can be frozen.
    """
    if sys.platform != "linux":
        return ""
    for attempt in (None, install_library):
        if attempt:
            attempt()
        if can_be_frozen(own):
            return ""
        for python in others():
            if can_be_frozen(python) and _runs(python, CAN_MAKE_ENVIRONMENT):
                return f"VENV={ENVIRONMENT} PYTHON={python}"
    raise SystemExit(
        "The application cannot be frozen: no Python 3.11, 3.12 or 3.13 here has its shared "
        "library (libpython3.x.so); on Debian, install the package libpython3.x."
    )


if __name__ == "__main__":
    variables = choose(sys.executable)
    if variables:
        print(f"This Python has no shared library; freezing with {variables}", file=sys.stderr)
    print(variables)
