"""What is laid over the conversation while files are dragged over the window."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.widgets import theme


class DropHint(QWidget):
    """Covers ``under`` and says what dropping does; clicks and drops go through it."""

    def __init__(self, under: QWidget) -> None:
        self._under = under
        super().__init__(under)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.text())
        under.installEventFilter(self)
        self.hide()

    def text(self) -> str:
        """Return what it says."""
        return self.tr("Drop text files to attach them")

    def show_over(self) -> None:
        """Show it in front of everything."""
        self.setGeometry(self._under.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what it covers."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._under.rect())
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a veil, a frame and the words."""
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = theme.mix(colours.base, colours.accent, 0.08)
        veil.setAlphaF(0.92)
        painter.fillRect(self.rect(), veil)
        pen = QPen(colours.accent, 2)
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        box = QRectF(self.rect()).adjusted(theme.L, theme.L, -theme.L, -theme.L)
        painter.drawRoundedRect(box, theme.RADIUS_LARGE, theme.RADIUS_LARGE)
        painter.setFont(theme.font(theme.BODY_SIZE + 3, QFont.Weight.DemiBold))
        painter.setPen(colours.text)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(box.adjusted(theme.L, 0, -theme.L, 0), flags, self.text())
