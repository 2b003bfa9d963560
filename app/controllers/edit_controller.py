"""The Edit menu's usual commands, for whatever text the cursor is in."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QWidget

from app.widgets.menus import Menus


class EditController(QObject):
    """Passes undo, redo, cut, copy, paste and select all on to the focused text or field."""

    def __init__(self, menus: Menus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        for action, command in (
            (menus.undo, "undo"),
            (menus.redo, "redo"),
            (menus.cut, "cut"),
            (menus.copy, "copy"),
            (menus.paste, "paste"),
            (menus.select_all, "selectAll"),
        ):
            action.triggered.connect(lambda _checked=False, name=command: _run(name))


def _run(command: str) -> None:
    """Call Qt's method of that name on what has the focus, where it has one."""
    widget: QWidget | None = QApplication.focusWidget()
    if isinstance(widget, QAbstractSpinBox | QComboBox):
        widget = widget.lineEdit()
    if method := getattr(widget, command, None):
        method()
