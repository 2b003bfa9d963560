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
        super().__init__(text, parent)
        theme.set_font(self, size, weight)
        self._paint_quietly()

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_quietly()

    def _paint_quietly(self) -> None:
        quiet = theme.colours(QApplication.palette()).secondary
        if self.palette().color(QPalette.ColorRole.WindowText) != quiet:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, quiet)
            self.setPalette(palette)


class ElidedLabel(QuietLabel):
    """A line that gives way to what stands beside it; the tool tip has all of it."""

    def __init__(
        self, text: str, parent: QWidget | None = None, size: float = theme.BODY_SIZE
    ) -> None:
        self._full = text
        super().__init__(text, parent, size)
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_full_text(self, text: str) -> None:
        """Show another text."""
        self._full = text
        self.setToolTip(text)
        self.setAccessibleName(text)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as there is room for."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()

    def _elide(self) -> None:
        elide = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(self._full, elide, self.width()))


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
            value = QLabel("–", self)
            theme.set_font(value, weight=QFont.Weight.DemiBold)
            value.setAccessibleName(name)
            value.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            row = QHBoxLayout()
            row.setSpacing(theme.S)
            row.addWidget(ElidedLabel(name, self), 1)
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
