"""Draws every icon from one vector source, `resources/icons/velox.svg`.

Run it after the source changed: ``python packaging/make_icons.py``. The results are committed, so
that nobody needs to draw them to run the application.
"""

import os
import struct
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
PNG_SIZES = (32, 128, 256)

# Apple's icon container: a type code and a PNG for each size; ic11 to ic14 are for 2× screens.
ICNS_TYPES = {
    b"icp4": 16,
    b"icp5": 32,
    b"ic07": 128,
    b"ic08": 256,
    b"ic09": 512,
    b"ic10": 1024,
    b"ic11": 32,
    b"ic12": 64,
    b"ic13": 256,
    b"ic14": 512,
}


def draw(renderer: QSvgRenderer, size: int) -> bytes:
    """Return the drawing as a PNG of ``size`` by ``size`` pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


def icns(pngs: dict[int, bytes]) -> bytes:
    """Pack PNGs, by size in pixels, into Apple's icon container."""
    body = b"".join(
        kind + struct.pack(">I", 8 + len(pngs[size])) + pngs[size]
        for kind, size in ICNS_TYPES.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def main() -> None:
    """Draw and write all icons."""
    application = QGuiApplication([])
    renderer = QSvgRenderer(str(ICONS / "velox.svg"))
    sizes = sorted({*ICNS_TYPES.values(), *PNG_SIZES})
    pngs = {size: draw(renderer, size) for size in sizes}
    for size in PNG_SIZES:
        (ICONS / f"velox-{size}.png").write_bytes(pngs[size])
    (ICONS / "velox.icns").write_bytes(icns(pngs))
    print(f"icons written to {ICONS}")
    application.quit()


if __name__ == "__main__":
    main()
