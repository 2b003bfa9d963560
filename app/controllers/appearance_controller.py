"""Colours and text size, as the settings have them."""

import sys
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.settings.store import SettingsStore
from app.settings.table import BY_KEY
from app.widgets import theme

_SCHEME = "appearance.scheme"
_SIZE = "appearance.text_size"
_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


class AppearanceController(QObject):
    """Applies the appearance settings, at the start and whenever they change."""

    def __init__(
        self, app: QApplication, settings: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._settings = settings
        self._usual_font = QFont(app.font())
        self._stop_watching = settings.on_change(self._on_setting_changed)
        if settings.get(_SCHEME) != "system":
            self._apply_scheme()
        if settings.get(_SIZE) != BY_KEY[_SIZE].default:
            self._apply_size()

    @Slot()
    def enlarge(self) -> None:
        """Make all text one step larger."""
        self._step(1)

    @Slot()
    def shrink(self) -> None:
        """Make all text one step smaller."""
        self._step(-1)

    @Slot()
    def reset_size(self) -> None:
        """Give the text its usual size."""
        self._settings.set(_SIZE, BY_KEY[_SIZE].default)

    def _step(self, direction: int) -> None:
        setting = BY_KEY[_SIZE]
        size = self._settings.get(_SIZE) + direction * int(setting.step or 1)
        size = max(int(setting.minimum or 0), min(int(setting.maximum or size), size))
        self._settings.set(_SIZE, size)

    def _on_setting_changed(self, key: str, _value: Any) -> None:
        if key == _SCHEME:
            self._apply_scheme()
        elif key == _SIZE:
            self._apply_size()

    def _apply_scheme(self) -> None:
        hints, scheme = self._app.styleHints(), _SCHEMES.get(self._settings.get(_SCHEME))
        if scheme is None:
            hints.unsetColorScheme()
            scheme = hints.colorScheme()
        else:
            hints.setColorScheme(scheme)
        if sys.platform != "darwin":
            # Not every desktop takes the wish up.
            self._app.setPalette(theme.scheme_palette(scheme == Qt.ColorScheme.Dark))

    def _apply_size(self) -> None:
        font = QFont(self._usual_font)
        share = self._settings.get(_SIZE) / 100
        if font.pixelSize() > 0:
            font.setPixelSize(max(1, round(font.pixelSize() * share)))
        else:
            font.setPointSizeF(font.pointSizeF() * share)
        self._app.setFont(font)
        # Qt tells only widgets without a font of their own; the others must compute theirs anew.
        for widget in self._app.allWidgets():
            self._app.sendEvent(widget, QEvent(QEvent.Type.FontChange))
