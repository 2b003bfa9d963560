"""Rows of a quiet label and a strong value."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.widgets import theme


class QuietLabel(QLabel):
    """Text in the secondary colour that follows palette and text size."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        size: float = theme.BODY_SIZE,
        weight: QFont.Weight = QFont.Weight.Normal,
    ) -> None:
        self._size, self._weight = size, weight
        super().__init__(text, parent)
        self._paint_quietly()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of scheme or of the application's font."""
        super().changeEvent(event)
        if event.type() in (
            QEvent.Type.PaletteChange,
            QEvent.Type.FontChange,
        ):
            self._paint_quietly()

    def _paint_quietly(self) -> None:
        quiet = theme.colours(QApplication.palette()).secondary
        if self.palette().color(QPalette.ColorRole.WindowText) != quiet:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, quiet)
            self.setPalette(palette)
        theme.set_font(self, theme.font(self._size, self._weight))


class SectionTitle(QuietLabel):
    """A small heading in capitals."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text.upper(), parent, theme.SMALL_SIZE, QFont.Weight.DemiBold)


class Figures(QWidget):
    """A table of figures, one row a name."""

    def __init__(self, names: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.XS + 2)
        self._values: list[QLabel] = []
        for name in names:
            value = _ValueLabel("–", self)
            value.setAccessibleName(name)
            value.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            row = QHBoxLayout()
            row.setSpacing(theme.S)
            row.addWidget(_NameLabel(name, self), 1)
            row.addWidget(value)
            rows.addLayout(row)
            self._values.append(value)

    def set_values(self, values: list[str]) -> None:
        """Show one value a row."""
        for label, value in zip(self._values, values, strict=True):
            if label.text() != value:
                label.setText(value)

    def values(self) -> list[str]:
        """Return the values as shown."""
        return [label.text() for label in self._values]


class _NameLabel(QuietLabel):
    """Gives way to the value beside it."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self._full = text
        self.setToolTip(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        elide = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(self._full, elide, self.width()))


class _ValueLabel(QLabel):
    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setFont(theme.font(theme.BODY_SIZE, QFont.Weight.DemiBold))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            theme.set_font(self, theme.font(theme.BODY_SIZE, QFont.Weight.DemiBold))
