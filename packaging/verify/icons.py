"""The icon file: every size that the Finder, the Dock and the image viewer ask for."""

import struct
from collections.abc import Iterator
from pathlib import Path

from verify.bundle import Bundle

_WANTED_PIXELS = {16, 32, 64, 128, 256, 512, 1024}
_PNG = b"\x89PNG\r\n\x1a\n"


def check_icons(bundle: Bundle) -> Iterator[str]:
    """The ``.icns`` file is whole and holds a PNG of every size."""
    path = bundle.contents / "Resources" / "velox.icns"
    if not path.is_file():
        yield "Contents/Resources/velox.icns is missing"
        return
    try:
        sizes = icon_sizes(path)
    except ValueError as error:
        yield f"velox.icns is damaged: {error}"
        return
    if missing := sorted(_WANTED_PIXELS - sizes):
        yield f"velox.icns lacks the sizes {', '.join(map(str, missing))} pixels"


def icon_sizes(path: Path) -> set[int]:
    """The sizes in pixels of the PNGs in Apple's icon container at ``path``.

    Raises:
        ValueError: If the container or a picture is cut short or not square.
    """
    data = path.read_bytes()
    if data[:4] != b"icns" or len(data) < 8 or struct.unpack(">I", data[4:8])[0] != len(data):
        raise ValueError("its header does not fit its size")
    sizes = set()
    position = 8
    while position < len(data):
        if position + 8 > len(data):
            raise ValueError("it ends inside an entry")
        length = struct.unpack(">I", data[position + 4 : position + 8])[0]
        picture = data[position + 8 : position + length]
        if length < 32 or len(picture) != length - 8 or picture[:8] != _PNG:
            raise ValueError(f"the entry at byte {position} is no whole PNG")
        width, height = struct.unpack(">II", picture[16:24])
        if width != height:
            raise ValueError(f"a picture has {width} by {height} pixels")
        sizes.add(width)
        position += length
    return sizes
