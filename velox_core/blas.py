"""What must happen before mlx and mlx_lm are imported for the first time.

mlx's Linux wheel brings a slow reference BLAS (2.5 GFLOP/s on two cores). A library loaded before
it with global symbols wins, and OpenBLAS reaches well over 100 there. Elsewhere nothing is needed.
"""

import ctypes
import importlib
import logging
import os
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

logger = logging.getLogger(__name__)

# Set to "cpu", mlx leaves the GPU alone: for machines whose GPU does not work, such as hosted ones.
DEVICE_VARIABLE = "VELOX_DEVICE"
_FORTRAN = "libgfortran.so.5"
_OPEN_FILES = 2048
_import_lock = threading.Lock()


@cache
def prepare_mlx() -> bool:
    """Make the next import of mlx use a fast BLAS; call it before ``import mlx``.

    Importing ``velox_core`` calls it. Cheap, done once, harmless where it is not needed.

    Returns:
        Whether a faster BLAS was loaded.
    """
    if not sys.platform.startswith("linux"):
        return False
    if "mlx.core" in sys.modules:
        logger.info("mlx was imported before Velox could load a faster BLAS")
        return False
    # More threads than one fight with mlx's own on small matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for load in (_load_packaged, _load_system):
        try:
            load()
        except OSError as error:
            logger.info("OpenBLAS: %s", error)
        else:
            return True
    logger.warning("No OpenBLAS was found; models will run slowly on this computer.")
    return False


def import_mlx_lm() -> ModuleType:
    """Import mlx_lm for the first time without its change to the limit of open files.

    mlx_lm lowers the hard limit to 4,096, which an ordinary process cannot take back, and fails
    where the limit is lower already.

    Returns:
        The module ``mlx_lm``.
    """
    prepare_mlx()
    with _import_lock, _limits_untouched():
        mlx = importlib.import_module("mlx.core")
        if os.environ.get(DEVICE_VARIABLE, "").strip().lower() == "cpu":
            # Before mlx_lm, which makes its stream on the device that is the default then.
            mlx.set_default_device(mlx.cpu)
        if getattr(sys, "frozen", False) and mlx.default_device() == mlx.cpu:
            # On the CPU mlx would call g++ and load what it made from the temporary folder, where
            # others may write. All code of the packaged application comes from inside it.
            mlx.disable_compile()
        return importlib.import_module("mlx_lm")


@contextmanager
def _limits_untouched() -> Iterator[None]:
    import resource

    original = resource.setrlimit
    resource.setrlimit = lambda *_args: None
    try:
        yield
    finally:
        resource.setrlimit = original
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _load_packaged() -> None:
    """Load the OpenBLAS of the package cmeel-openblas.

    Raises:
        OSError: If it is not there or does not load.
    """
    library = _packages_dir() / "cmeel.prefix" / "lib" / "libopenblas.so.0"
    try:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        _load_fortran()
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


def _load_system() -> None:
    ctypes.CDLL("libopenblas.so.0", mode=ctypes.RTLD_GLOBAL)


def _packages_dir() -> Path:
    """The folder with the installed packages; in the packaged application its own."""
    return Path(getattr(sys, "_MEIPASS", sysconfig.get_path("platlib")))


def _load_fortran() -> None:
    """Load mlx's copy of the Fortran library under the name that OpenBLAS asks for.

    cmeel-openblas expects the system's libgfortran, which a machine without a compiler lacks. mlx's
    wheel has it, under a name of its own; the loader compares the name inside the file, so a copy
    with the plain name is loaded, from memory because no folder is sure to take a library.
    """
    if sys.platform != "linux":
        raise OSError("only Linux's mlx needs it")
    for quadmath in (_packages_dir() / "mlx_cpu.libs").glob("libquadmath-*.so*"):
        ctypes.CDLL(str(quadmath))
    original = next((_packages_dir() / "mlx_cpu.libs").glob("libgfortran-*.so.5*"), None)
    if original is None:
        raise OSError(f"{_FORTRAN} is not installed")
    name = original.name.encode() + b"\0"
    renamed = original.read_bytes().replace(name, _FORTRAN.encode().ljust(len(name), b"\0"))
    with os.fdopen(os.memfd_create(_FORTRAN), "wb") as copy:
        copy.write(renamed)
        copy.flush()
        ctypes.CDLL(f"/proc/self/fd/{copy.fileno()}")
