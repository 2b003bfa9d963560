"""A button that looks like a word of small grey text."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from app.widgets.theme import Colours


class QuietButton(QToolButton):
    """Grey text, darker under the pointer, with a ring when it has the keyboard.

    ``ghostly`` ones are only drawn while :meth:`set_shown` says so; they keep their place, and the
    keyboard reaches them all the same.
    """

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._colours: Colours | None = None
        self._shown = True

    def set_look(self, font: QFont, colours: Colours) -> None:
        """Use this font and these colours."""
        self._colours = colours
        self.setFont(font)

    def set_shown(self, shown: bool) -> None:
        """Draw it, or leave its place empty."""
        if shown != self._shown:
            self._shown = shown
            self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the text and a little room for the ring."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 8, metrics.height() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text."""
        if self._colours is None or not (self._shown or self.hasFocus()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = self.rect()
        active = self.underMouse() or self.isChecked() or self.hasFocus()
        if self.hasFocus():
            painter.setPen(QPen(self._colours.accent, 1.5))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4)
        painter.setPen(self._colours.text if active else self._colours.secondary)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self.text())
