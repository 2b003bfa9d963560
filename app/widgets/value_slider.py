"""A labelled slider with a box for typing the value."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.widgets import theme
from app.widgets.accent_slider import AccentSlider


class ValueSlider(QWidget):
    """A whole number from ``minimum`` to ``maximum``; subclasses may bend the scale."""

    value_changed = Signal(int)  # by the person, while dragging too

    def __init__(
        self, label: str, minimum: int, maximum: int, parent: QWidget | None = None
    ) -> None:
        self._built = False
        super().__init__(parent)
        self._minimum, self._maximum, self._value = minimum, maximum, minimum
        self.slider = AccentSlider(label, self)
        self.box = QLineEdit(self)
        self.box.setAccessibleName(label)
        self.box.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.box.setValidator(QIntValidator(0, 10_000_000, self.box))
        self._caption = QLabel(label, self)
        self._caption.setBuddy(self.box)
        header = QHBoxLayout()
        header.addWidget(self._caption)
        header.addStretch()
        header.addWidget(self.box)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addLayout(header)
        self._rows.addWidget(self.slider)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.box.editingFinished.connect(self._on_box_edited)
        self._apply_scale()
        self._show()
        self._built = True

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._built:
            self._show()

    def value(self) -> int:
        """Return the value."""
        return self._value

    def set_value(self, value: int) -> None:
        """Show ``value``, kept inside the range; no signal is sent."""
        self._value = min(self._maximum, max(self._minimum, value))
        self._show()

    def set_range(self, minimum: int, maximum: int) -> None:
        """Change the range; the value stays as near as it can."""
        self._minimum, self._maximum = minimum, max(minimum, maximum)
        self._apply_scale()
        self.set_value(self._value)

    def range(self) -> tuple[int, int]:
        """Return the smallest and the largest value."""
        return self._minimum, self._maximum

    def position_of(self, value: int) -> int:
        """Return the slider position that stands for ``value``."""
        return value

    def value_at(self, position: int) -> int:
        """Return the value that a slider position stands for."""
        return position

    def _apply_scale(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setRange(self.position_of(self._minimum), self.position_of(self._maximum))
        self.slider.blockSignals(False)

    def _show(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(self.position_of(self._value))
        self.slider.blockSignals(False)
        self.slider.update()
        self.box.setText(str(self._value))
        digits = max(2, len(str(self._value)))
        self.box.setFixedHeight(self.box.fontMetrics().height() + theme.S)
        self.box.setFixedWidth(self.box.fontMetrics().horizontalAdvance("0" * digits) + 18)

    def _take(self, value: int) -> None:
        before = self._value
        self.set_value(value)
        if self._value != before:
            self.value_changed.emit(self._value)

    def _on_slider_moved(self, position: int) -> None:
        self._take(self.value_at(position))

    def _on_box_edited(self) -> None:
        self._take(int(self.box.text() or self._value))
