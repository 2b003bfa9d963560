"""One control for each kind of setting, all with the same three members.

A field tells ``edited(value)`` when a person changed it and shows what ``set_value`` says without
telling.
"""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QSpinBox,
    QWidget,
)

from app.settings.setting import Setting
from app.widgets.folder_list import FolderList
from app.widgets.lines_edit import LinesEdit
from app.widgets.toggle_switch import ToggleSwitch

_NUMBER_WIDTH = 110
_CHOICE_CHARS = 14
_LINES = {"text": 1, "text_list": 3, "long_text": 5}


class SettingField(QWidget):
    """The control of one setting."""

    edited = Signal(object)

    def __init__(self, control: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.control = control
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(control)
        self.setFocusProxy(control)

    def set_value(self, value: Any) -> None:
        """Show ``value``; nothing is told."""
        raise NotImplementedError


def make_field(setting: Setting, label: str, parent: QWidget | None = None) -> SettingField:
    """The field for ``setting``; ``label`` is what it is called, also by a screen reader."""
    field: SettingField = _FIELDS[setting.kind](setting)
    field.setParent(parent)
    field.control.setAccessibleName(label)
    return field


def is_wide(setting: Setting) -> bool:
    """Whether the field stands below its label, over the whole width."""
    return setting.kind in ("text", "long_text", "text_list", "folder_list")


class _SwitchField(SettingField):
    def __init__(self, setting: Setting) -> None:
        self._switch = ToggleSwitch(setting.label)
        super().__init__(self._switch)
        self._switch.toggled.connect(self.edited.emit)

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self._switch):
            self._switch.setChecked(value)
        self._switch.update()


class _ChoiceField(SettingField):
    def __init__(self, setting: Setting) -> None:
        self._box = _StillComboBox()
        super().__init__(self._box)
        # At large text sizes a long choice is cut rather than the text beside it.
        self._box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self._box.setMinimumContentsLength(_CHOICE_CHARS)
        for value, label in setting.choices:
            self._box.addItem(self.tr(label), value)
        self._box.activated.connect(lambda place: self.edited.emit(self._box.itemData(place)))

    def set_value(self, value: Any) -> None:
        self._box.setCurrentIndex(self._box.findData(value))


class _WholeField(SettingField):
    """A whole number; one below the lowest stands for None."""

    def __init__(self, setting: Setting) -> None:
        self._box = _StillSpinBox()
        super().__init__(self._box)
        low, high = int(setting.minimum or 0), int(setting.maximum or 0)
        self._none = low - 1 if setting.optional else None
        self._box.setRange(low - 1 if setting.optional else low, high)
        self._box.setSpecialValueText(self.tr(setting.none_label) if setting.optional else "")
        self._box.setSingleStep(int(setting.step or 1))
        self._box.setGroupSeparatorShown(not setting.optional)
        _finish_number(self._box, setting)
        self._box.valueChanged.connect(
            lambda value: self.edited.emit(None if value == self._none else value)
        )

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self._box):
            self._box.setValue(self._none if value is None and self._none is not None else value)


class _DecimalField(SettingField):
    def __init__(self, setting: Setting) -> None:
        self._box = _StillDecimalBox()
        super().__init__(self._box)
        self._box.setDecimals(2)
        self._box.setRange(float(setting.minimum or 0), float(setting.maximum or 0))
        self._box.setSingleStep(float(setting.step or 1))
        _finish_number(self._box, setting)
        self._box.valueChanged.connect(lambda value: self.edited.emit(round(value, 2)))

    def set_value(self, value: Any) -> None:
        with QSignalBlocker(self._box):
            self._box.setValue(value)


class _TextField(SettingField):
    """One or more lines of text; for a list of texts, one on each line."""

    def __init__(self, setting: Setting) -> None:
        self._edit = LinesEdit(_LINES[setting.kind])
        super().__init__(self._edit)
        self._is_list = setting.kind == "text_list"
        self._edit.textChanged.connect(self._on_text_changed)

    def set_value(self, value: Any) -> None:
        # While a person types, what was stored comes back: the cursor must not jump.
        if value != self._value():
            with QSignalBlocker(self._edit):
                self._edit.setPlainText("\n".join(value) if self._is_list else value)

    def _value(self) -> Any:
        text = self._edit.toPlainText()
        return tuple(line for line in text.split("\n") if line) if self._is_list else text

    def _on_text_changed(self) -> None:
        self.edited.emit(self._value())


class _FoldersField(SettingField):
    def __init__(self, _setting: Setting) -> None:
        self._list = FolderList()
        super().__init__(self._list)
        self._list.folders_changed.connect(self.edited)

    def set_value(self, value: Any) -> None:
        self._list.set_folders(value)


_FIELDS: dict[str, type[Any]] = {
    "bool": _SwitchField,
    "choice": _ChoiceField,
    "int": _WholeField,
    "float": _DecimalField,
    "text": _TextField,
    "long_text": _TextField,
    "text_list": _TextField,
    "folder_list": _FoldersField,
}


def _finish_number(box: QSpinBox | QDoubleSpinBox, setting: Setting) -> None:
    box.setSuffix(f" {setting.unit}" if setting.unit else "")
    box.setKeyboardTracking(False)
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    box.setMinimumWidth(_NUMBER_WIDTH)


# A page is scrolled with the wheel; a value under the pointer must not change by that.
class _StillSpinBox(QSpinBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _StillDecimalBox(QDoubleSpinBox):
    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").removesuffix(point) if point in text else text

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _StillComboBox(QComboBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
