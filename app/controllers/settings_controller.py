"""The settings window: opened when it is asked for, always showing what the store holds."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.settings.setting import SettingError
from app.settings.store import SettingsStore
from app.settings.table import SETTINGS
from app.widgets.settings_window import SettingsWindow


class SettingsController(QObject):
    """Edits go into the store; what the store holds is shown, whoever changed it."""

    _saved = Signal(str)

    def __init__(self, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._window: SettingsWindow | None = None
        self._leave: tuple[Callable[[], None], ...] = ()
        # The store saves on a thread of its own: the signal brings the outcome here.
        self._saved.connect(self._on_saved)

    @property
    def window(self) -> SettingsWindow | None:
        """The window, once it was opened."""
        return self._window

    @Slot()
    def open(self) -> None:
        """Show the window, in front of the others."""
        if self._window is None:
            self._window = self._make_window()
        self._window.bring_to_front()

    def close(self) -> None:
        """Take the window away for good; the application ends."""
        for leave in self._leave:
            leave()
        self._leave = ()
        if self._window is not None:
            self._window.close()
            self._window.deleteLater()
            self._window = None

    def _make_window(self) -> SettingsWindow:
        window = SettingsWindow()
        for setting in SETTINGS:
            window.set_value(setting.key, self._settings.get(setting.key))
        window.show_problem(self._settings.write_error)
        window.setting_edited.connect(self._on_setting_edited)
        window.reset_requested.connect(self._settings.reset_group)
        self._leave = (
            self._settings.on_change(window.set_value),
            self._settings.on_saved(self._saved.emit),
        )
        return window

    @Slot(str, object)
    def _on_setting_edited(self, key: str, value: Any) -> None:
        if self._window is None:
            return
        try:
            self._settings.set(key, value)
            self._window.show_problem("")
        except SettingError as error:
            self._window.show_problem(str(error))
            self._window.set_value(key, self._settings.get(key))

    @Slot(str)
    def _on_saved(self, problem: str) -> None:
        if self._window is not None and problem:
            self._window.show_problem(problem)
