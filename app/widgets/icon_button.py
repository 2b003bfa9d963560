"""A button that is one symbol, with a quiet background under the pointer."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.widgets import theme
from app.widgets.glyphs import draw_glyph
from app.widgets.labels import plain_tip


class IconButton(QAbstractButton):
    """Shows the symbol ``glyph``; ``label`` is its tool tip and accessible name."""

    def __init__(self, glyph: str, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glyph = glyph
        self.set_label(label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_label(self, label: str) -> None:
        """Change what the button says it does."""
        self.setToolTip(plain_tip(label))
        self.setAccessibleName(label)

    def set_glyph(self, glyph: str) -> None:
        """Show another symbol."""
        self._glyph = glyph
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a comfortable pointer target, larger with larger text."""
        side = round(28 * max(1.0, theme.text_scale()))
        return QSize(side, side)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the background under the pointer."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        """Take the background away."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw background, focus ring and symbol."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isEnabled() and (self.underMouse() or self.isDown()):
            painter.setBrush(theme.mix(colours.hover, colours.text, 0.06 * self.isDown()))
            painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        if self.hasFocus():
            painter.setPen(QPen(colours.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        ink = theme.mix(colours.text, colours.base, 0.15 if self.isEnabled() else 0.6)
        side = 16.0 * self.width() / 28
        spot = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        draw_glyph(painter, self._glyph, spot, ink)


class RoundButton(IconButton):
    """The send button: a filled disc in the accent colour."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the disc and the symbol on it."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill = colours.selection if self.isEnabled() else colours.track
        if self.isDown():
            fill = theme.mix(fill, colours.text, 0.15)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawEllipse(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        if self.hasFocus():
            painter.setPen(QPen(colours.on_selection, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QRectF(self.rect()).adjusted(2.5, 2.5, -2.5, -2.5))
        side = 16.0 * self.width() / 28
        spot = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        ink = colours.on_selection if self.isEnabled() else colours.secondary
        draw_glyph(painter, self._glyph, spot, ink)
