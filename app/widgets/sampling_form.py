"""The rows in which a chat's sampling values are edited."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QGridLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from app.models.sampling_view import SamplingView
from app.widgets import theme
from app.widgets.labels import ElidedLabel
from app.widgets.text_button import TextButton

_LARGEST_SEED = 2**31 - 1


class SamplingForm(QWidget):
    """One row a value; each change sends the whole set."""

    sampling_changed = Signal(object)  # SamplingView

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._further: list[QWidget] = []
        self.temperature = self._decimal(self.tr("Temperature"), 0, 2, 0.1)
        self.top_p = self._decimal(self.tr("Top-p"), 0.01, 1, 0.05)
        self.max_tokens = self._whole(self.tr("Max tokens"), 1, 1_000_000, 256)
        usual = self._grid.rowCount()
        self.top_k = self._whole(self.tr("Top-k"), 0, 1000, 10, self.tr("off"))
        self.min_p = self._decimal(self.tr("Min-p"), 0, 1, 0.05, self.tr("off"))
        self.penalty = self._decimal(self.tr("Repetition penalty"), 1, 2, 0.05, self.tr("off"))
        self.seed = self._whole(self.tr("Seed"), -1, _LARGEST_SEED, 1, self.tr("random"))
        self.stop = QLineEdit(self)
        self.stop.setPlaceholderText(self.tr("none"))
        self.stop.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.stop.setToolTip(self.tr("Texts that end a reply, separated by commas"))
        self._row(self.tr("Stop at"), self.stop)
        self.stop.editingFinished.connect(self._on_edited)
        self.more = TextButton(self.tr("More…"), self)
        self.more.setCheckable(True)
        self._grid.addWidget(self.more, self._grid.rowCount(), 0, Qt.AlignmentFlag.AlignLeading)
        self._further = [
            item.widget()
            for row in range(usual, self._grid.rowCount() - 1)
            for column in (0, 1)
            if (item := self._grid.itemAtPosition(row, column))
        ]
        self.more.toggled.connect(self._on_more_toggled)
        self._on_more_toggled(False)
        self.set_sampling(SamplingView())

    def sampling(self) -> SamplingView:
        """Return the values as they stand."""
        seed = self.seed.value()
        return SamplingView(
            temperature=round(self.temperature.value(), 2),
            top_p=round(self.top_p.value(), 2),
            top_k=self.top_k.value(),
            min_p=round(self.min_p.value(), 2),
            repetition_penalty=round(self.penalty.value(), 2),
            seed=None if seed < 0 else seed,
            max_tokens=self.max_tokens.value(),
            stop=tuple(part.strip() for part in self.stop.text().split(",") if part.strip()),
        )

    def set_sampling(self, view: SamplingView) -> None:
        """Show ``view``; no signal is sent."""
        values: list[tuple[QSpinBox | QDoubleSpinBox, float]] = [
            (self.temperature, view.temperature),
            (self.top_p, view.top_p),
            (self.max_tokens, view.max_tokens),
            (self.top_k, view.top_k),
            (self.min_p, view.min_p),
            (self.penalty, view.repetition_penalty),
            (self.seed, -1 if view.seed is None else view.seed),
        ]
        for box, value in values:
            box.blockSignals(True)
            box.setValue(value)  # type: ignore[arg-type]
            box.blockSignals(False)
        self.stop.setText(", ".join(view.stop))

    def _decimal(
        self, label: str, low: float, high: float, step: float, off: str = ""
    ) -> QDoubleSpinBox:
        box = _FlatDecimal(self)
        box.setDecimals(2)
        box.setRange(low, high)
        box.setSingleStep(step)
        self._finish(label, box, off)
        return box

    def _whole(self, label: str, low: int, high: int, step: int, off: str = "") -> QSpinBox:
        box = _FlatWhole(self)
        box.setRange(low, high)
        box.setSingleStep(step)
        box.setGroupSeparatorShown(low >= 0)
        self._finish(label, box, off)
        return box

    def _finish(self, label: str, box: QSpinBox | QDoubleSpinBox, off: str) -> None:
        box.setSpecialValueText(off)
        box.setKeyboardTracking(False)
        box.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setFrame(False)
        box.lineEdit().setProperty("frameless", True)
        theme.set_font(box, weight=QFont.Weight.DemiBold)
        box.valueChanged.connect(self._on_edited)
        self._row(label, box)

    def _row(self, label: str, field: QWidget) -> None:
        field.setAccessibleName(label)
        field.setMinimumWidth(96)
        field.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        field.setProperty("frameless", True)
        caption = ElidedLabel(label, self, is_quiet=True)
        caption.setBuddy(field)
        row = self._grid.rowCount()
        self._grid.addWidget(caption, row, 0)
        self._grid.addWidget(field, row, 1, Qt.AlignmentFlag.AlignTrailing)

    def _on_more_toggled(self, is_open: bool) -> None:
        self.more.setText(self.tr("Less") if is_open else self.tr("More…"))
        for widget in self._further:
            widget.setVisible(is_open)

    def _on_edited(self) -> None:
        self.sampling_changed.emit(self.sampling())


class _FlatDecimal(QDoubleSpinBox):
    def textFromValue(self, value: float) -> str:
        return f"{value:.2f}".rstrip("0").rstrip(".") if value != round(value) else f"{value:.1f}"

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _FlatWhole(QSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
