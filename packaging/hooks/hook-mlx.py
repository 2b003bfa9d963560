"""mlx: its core imports two Python modules from C++, and its libraries lie in a folder of data."""

from pathlib import Path

from PyInstaller.utils.hooks import collect_submodules, get_package_paths

_UNUSED = ("mlx._distributed_utils", "mlx.extension", "mlx.__main__")
_base, _package = map(Path, get_package_paths("mlx"))

hiddenimports = [name for name in collect_submodules("mlx") if not name.startswith(_UNUSED)]
# Collected here and not by dependency analysis alone, so that they keep their place in mlx/lib.
binaries = [
    (str(path), "mlx/lib")
    for pattern in ("lib/*.dylib", "lib/*.so")
    for path in sorted(_package.glob(pattern))
]
datas = [(str(path), "mlx/lib") for path in sorted(_package.glob("lib/*.metallib"))]
# On Linux: the reference BLAS and the Fortran library that the wheel brings.
binaries += [(str(path), "mlx_cpu.libs") for path in sorted(_base.glob("mlx_cpu.libs/*.so*"))]
