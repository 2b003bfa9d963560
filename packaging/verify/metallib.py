"""The GPU kernels: where libmlx looks for them, and for which macOS they were compiled."""

import struct
from collections.abc import Iterator
from pathlib import Path

from bundle_info import MINIMUM_MACOS
from verify.bundle import Bundle

_NAME = "mlx.metallib"
_MACOS = 0x81  # the target system in a metallib header: macOS, 64 bits


def check_metallib(bundle: Bundle) -> Iterator[str]:
    """`mlx.metallib` lies beside every name of libmlx, is whole, and runs on the oldest macOS.

    mlx looks beside libmlx.dylib as the loader names it, and the loader may come through a symlink.
    """
    libraries = [path for path in bundle.entries if path.name == "libmlx.dylib"]
    if not libraries:
        yield "libmlx.dylib is missing"
    for library in libraries:
        # The mirror in Resources is never loaded from, and PyInstaller links folders there whole.
        if library.is_relative_to(bundle.contents / "Resources"):
            continue
        for place in {library.parent, library.resolve().parent}:
            if not (place / _NAME).is_file():
                yield f"{_NAME} is missing beside libmlx.dylib in {bundle.name(place)}"
    for path in bundle.files:
        if path.suffix == ".metallib":
            yield from _check_header(bundle.name(path), path)


def _check_header(name: str, path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        head = file.read(24)
    if len(head) < 24 or head[:4] != b"MTLB":
        yield f"{name} is no Metal library"
        return
    target, major, minor, nbytes = head[11], *struct.unpack("<HHQ", head[12:24])
    if target != _MACOS:
        yield f"{name} was compiled for another system than macOS"
    elif (major, minor) > tuple(map(int, MINIMUM_MACOS.split("."))):
        yield f"{name} needs macOS {major}.{minor}, newer than {MINIMUM_MACOS}"
    if nbytes != path.stat().st_size:
        yield f"{name} is cut short: {path.stat().st_size} of {nbytes} bytes"
