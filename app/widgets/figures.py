"""Rows of a quiet label and a strong value."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.widgets import theme
from app.widgets.labels import QuietLabel


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
            caption = QuietLabel(name, self)
            caption.setWordWrap(True)
            row.addWidget(caption, 1)
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
