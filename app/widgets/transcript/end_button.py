"""The round button that leads back to the end of the conversation."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.widgets import theme
from app.widgets.glyphs import draw_glyph

_SIZE, _MARGIN = 32, 12


class EndButton(QAbstractButton):
    """Stands at the bottom of its parent while there is more below."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        label = self.tr("Go to the end")
        self.setAccessibleName(label)
        self.setToolTip(label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.resize(_SIZE, _SIZE)
        self.hide()

    def place(self, shown: bool) -> None:
        """Show it at the bottom of its parent, or hide it."""
        parent = self.parentWidget()
        if shown and parent is not None:
            self.move((parent.width() - _SIZE) // 2, parent.height() - _SIZE - _MARGIN)
            self.raise_()
        self.setVisible(shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint an arrow on a disc."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        active = self.hasFocus() or self.underMouse()
        painter.setPen(QPen(colours.accent if self.hasFocus() else colours.border, 1))
        painter.setBrush(colours.hover if active else colours.base)
        painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        draw_glyph(painter, "down", QRectF(9, 9, _SIZE - 18, _SIZE - 18), colours.text)
