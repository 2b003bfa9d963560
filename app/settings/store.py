"""The values of the settings and the file that they are kept in."""

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.settings.files import read_json, write_json
from app.settings.setting import SettingError
from app.settings.table import BY_KEY, SETTINGS

logger = logging.getLogger(__name__)

ChangeCallback = Callable[[str, Any], None]
SAVE_DELAY_S = 0.4


class SettingsStore:
    """Reads, checks and keeps settings; tells who asked when one changes.

    A stored value that is no longer allowed is logged and the default is used; keys that this
    version does not know stay in the file. Changes are written a moment later in one go, so that
    a slider may set its value as often as it likes; :meth:`flush` writes at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._callbacks: list[ChangeCallback] = []
        self._save_callbacks: list[Callable[[str], None]] = []
        self._timer: threading.Timer | None = None
        self._unknown: dict[str, Any] = {}
        self._values: dict[str, Any] = {}
        self.write_error = ""
        self._load()

    def _load(self) -> None:
        stored = read_json(self._path)
        if stored is not None and not isinstance(stored, dict):
            logger.warning("%s holds no settings; defaults are used", self._path)
            stored = None
        for key, value in (stored or {}).items():
            setting = BY_KEY.get(key)
            if setting is None:
                self._unknown[key] = value
                continue
            try:
                self._values[key] = setting.check(value)
            except SettingError as error:
                logger.warning("Stored %s is ignored, the default is used: %s", key, error)

    def get(self, key: str) -> Any:
        """The value of setting ``key``, stored or default.

        Raises:
            KeyError: There is no such setting.
        """
        setting = BY_KEY[key]
        with self._lock:
            return self._values.get(key, setting.default)

    def set(self, key: str, value: Any) -> None:
        """Change setting ``key``, tell the callbacks and save.

        Raises:
            KeyError: There is no such setting.
            SettingError: The value is not allowed; nothing changes.
        """
        setting = BY_KEY[key]
        checked = setting.check(value)
        with self._lock:
            if self.get(key) == checked:
                return
            if checked == setting.default:
                self._values.pop(key, None)
            else:
                self._values[key] = checked
            self._save_soon()
        self._tell(key, checked)

    def reset_group(self, group: str) -> None:
        """Give every visible setting of ``group`` its default again."""
        for setting in SETTINGS:
            if setting.group == group and not setting.hidden:
                self.set(setting.key, setting.default)

    def values_for_chat(self, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """The value of every setting that a chat may have of its own.

        Args:
            overrides: What the chat stores. Values that are not allowed are logged and ignored.
        """
        values = {setting.key: self.get(setting.key) for setting in SETTINGS if setting.per_chat}
        for key, value in overrides.items():
            if key in values:
                try:
                    values[key] = BY_KEY[key].check(value)
                except SettingError as error:
                    logger.warning("A chat's %s is ignored: %s", key, error)
        return values

    def on_change(self, callback: ChangeCallback) -> Callable[[], None]:
        """Call ``callback(key, value)`` after each change, on the thread that made it.

        Returns:
            A function that ends it.
        """
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    def on_saved(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``callback(write_error)`` after each attempt to save, on whatever thread saved.

        Returns:
            A function that ends it.
        """
        self._save_callbacks.append(callback)
        return lambda: self._save_callbacks.remove(callback)

    def flush(self) -> bool:
        """Write what has changed.

        Returns:
            Whether the file holds every value now; if not, ``write_error`` says why.
        """
        with self._lock:
            if self._timer is None:
                return not self.write_error
            self._timer.cancel()
            self._timer = None
            try:
                write_json(self._path, self._unknown | self._values)
                self.write_error = ""
            except OSError as error:
                if not self.write_error:
                    logger.warning("Settings cannot be saved to %s: %s", self._path, error)
                self.write_error = (
                    "Your settings cannot be saved; check that the disk is not full or read-only."
                )
        for callback in tuple(self._save_callbacks):
            callback(self.write_error)
        return not self.write_error

    def _save_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(SAVE_DELAY_S, self.flush)
            self._timer.daemon = True
            self._timer.start()

    def _tell(self, key: str, value: Any) -> None:
        for callback in tuple(self._callbacks):
            callback(key, value)
