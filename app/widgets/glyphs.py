"""The few symbols of the window, drawn as lines on a 16 by 16 grid in any colour."""

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap

Drawer = Callable[[QPainter, QColor], None]


def draw_glyph(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Draw the symbol ``name`` to fill ``rect``.

    Raises:
        KeyError: There is no symbol of that name.
    """
    drawer = _DRAWERS[name]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / 16, rect.height() / 16)
    pen = QPen(colour, 1.4)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    drawer(painter, colour)
    painter.restore()


def glyph_icon(name: str, colour: QColor, size: int = 16) -> QIcon:
    """Return the symbol as an icon, sharp on doubled displays too."""
    icon = QIcon()
    for ratio in (1, 2):
        pixmap = QPixmap(size * ratio, size * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        draw_glyph(painter, name, QRectF(0, 0, size * ratio, size * ratio), colour)
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        icon.addPixmap(pixmap)
    return icon


def _lines(painter: QPainter, *points: tuple[float, float]) -> None:
    painter.drawPolyline([QPointF(x, y) for x, y in points])


def _pane(painter: QPainter, bar: QRectF, colour: QColor) -> None:
    painter.drawRoundedRect(QRectF(1.5, 2.5, 13, 11), 2, 2)
    edge = bar.right() if bar.left() < 8 else bar.left()
    _lines(painter, (edge, 2.5), (edge, 13.5))
    painter.setPen(Qt.PenStyle.NoPen)
    shade = QColor(colour)
    shade.setAlphaF(0.35)
    painter.fillRect(bar, shade)


def _sidebar(painter: QPainter, colour: QColor) -> None:
    _pane(painter, QRectF(2.4, 3.3, 3.4, 9.4), colour)


def _panel(painter: QPainter, colour: QColor) -> None:
    _pane(painter, QRectF(10.2, 3.3, 3.4, 9.4), colour)


def _plus(painter: QPainter, _colour: QColor) -> None:
    _lines(painter, (8, 3), (8, 13))
    _lines(painter, (3, 8), (13, 8))


def _close(painter: QPainter, _colour: QColor) -> None:
    _lines(painter, (4, 4), (12, 12))
    _lines(painter, (12, 4), (4, 12))


def _send(painter: QPainter, _colour: QColor) -> None:
    _lines(painter, (8, 13), (8, 3.4))
    _lines(painter, (3.8, 7.4), (8, 3.2), (12.2, 7.4))


def _stop(painter: QPainter, colour: QColor) -> None:
    painter.setBrush(colour)
    painter.drawRoundedRect(QRectF(4, 4, 8, 8), 0.8, 0.8)


def _search(painter: QPainter, _colour: QColor) -> None:
    painter.drawEllipse(QRectF(2.5, 2.5, 8, 8))
    _lines(painter, (9.6, 9.6), (13.5, 13.5))


def _down(painter: QPainter, _colour: QColor) -> None:
    _lines(painter, (4.5, 6.5), (8, 10), (11.5, 6.5))


def _up(painter: QPainter, _colour: QColor) -> None:
    _lines(painter, (4.5, 9.5), (8, 6), (11.5, 9.5))


def _file(painter: QPainter, _colour: QColor) -> None:
    _lines(
        painter, (9, 1.8), (3.5, 1.8), (3.5, 14.2), (12.5, 14.2), (12.5, 5.3), (9, 1.8), (9, 5.3)
    )
    _lines(painter, (12.5, 5.3), (9, 5.3))
    _lines(painter, (5.8, 8.3), (10.2, 8.3))
    _lines(painter, (5.8, 11), (10.2, 11))


_DRAWERS: dict[str, Drawer] = {
    "sidebar": _sidebar,
    "panel": _panel,
    "plus": _plus,
    "close": _close,
    "send": _send,
    "stop": _stop,
    "search": _search,
    "down": _down,
    "up": _up,
    "file": _file,
}
