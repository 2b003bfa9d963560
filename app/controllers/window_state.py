"""Where the window stands and which panes it shows, kept from one start to the next."""

from PySide6.QtCore import QByteArray, QObject, Slot

from app.settings.setting import SettingError
from app.settings.store import SettingsStore
from app.widgets.main_window import MainWindow


class WindowState(QObject):
    """Restores the window's state when built; :meth:`save` keeps it."""

    def __init__(
        self, window: MainWindow, settings: SettingsStore, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._settings = settings
        window.restoreGeometry(_bytes(settings.get("window.geometry")))
        window.restore_splitter(_bytes(settings.get("window.splitter")))
        window.sidebar.setVisible(settings.get("window.show_chats"))
        window.panel.setVisible(settings.get("window.show_memory"))
        window.panes_changed.connect(self.save)

    @Slot()
    def save(self) -> None:
        """Keep the state as it is now."""
        window = self._window
        self._set("window.geometry", _text(window.saveGeometry()))
        self._set("window.splitter", _text(window.splitter_state()))
        self._set("window.show_chats", not window.sidebar.isHidden())
        self._set("window.show_memory", not window.panel.isHidden())

    def _set(self, key: str, value: str | bool) -> None:
        try:
            self._settings.set(key, value)
        except SettingError:
            # Longer than any state should be; the next start has the usual one.
            return


def _bytes(text: str) -> QByteArray:
    return QByteArray.fromBase64(QByteArray(text.encode("ascii", "ignore")))


def _text(state: QByteArray) -> str:
    return bytes(state.toBase64().data()).decode("ascii")
