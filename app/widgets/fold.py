"""A section that folds away under its title."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from app.widgets import theme
from app.widgets.glyphs import draw_glyph


class Fold(QWidget):
    """A title that opens and closes the widget under it."""

    toggled = Signal(bool)

    def __init__(self, title: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = _FoldTitle(title, self)
        self._body = body
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.S)
        rows.addWidget(self._title)
        rows.addWidget(body)
        self._title.toggled.connect(self._on_toggled)

    def set_open(self, is_open: bool) -> None:
        """Open or close the section."""
        self._title.setChecked(is_open)

    def is_open(self) -> bool:
        """Return whether the body is shown."""
        return self._title.isChecked()

    def _on_toggled(self, is_open: bool) -> None:
        self._body.setVisible(is_open)
        self.toggled.emit(is_open)


class _FoldTitle(QAbstractButton):
    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText(title.upper())
        self.setAccessibleName(title)
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(120, round(theme.SMALL_SIZE * theme.text_scale() * 1.6))

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.colours(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL_SIZE, QFont.Weight.DemiBold))
        painter.setPen(colours.secondary)
        sides = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), sides, self.text())
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = 0 if mirrored else self.width() - 12
        spot = QRectF(x, self.height() / 2 - 6, 12, 12)
        draw_glyph(painter, "up" if self.isChecked() else "down", spot, colours.secondary)
        if self.hasFocus():
            painter.setPen(QPen(colours.accent, 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 3, 3)
