"""A field for a few lines of plain text."""

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.widgets import theme


class LinesEdit(QPlainTextEdit):
    """As high as ``lines`` lines at any text size; Tab and Esc are not its own."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        self._lines = lines
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The height of the lines and the room around them."""
        margins = round(2 * self.document().documentMargin()) + 2 * self.frameWidth()
        height = self.fontMetrics().lineSpacing() * self._lines + margins
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        """Never lower than its lines."""
        return QSize(theme.XL * 4, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave Esc to the window."""
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)
