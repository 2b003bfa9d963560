"""Settings that change how the window's parts behave, applied at the start and at once."""

from typing import Any

from PySide6.QtCore import QObject

from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.settings.store import SettingsStore
from app.widgets.composer import Composer

_SEND_KEY = "chat.send_key"
_SHOW_STATS = "appearance.show_stats"


class PreferencesController(QObject):
    """Applies the send key to the composer, and whether replies show their numbers."""

    def __init__(
        self,
        settings: SettingsStore,
        composer: Composer,
        open_chat: OpenChat,
        replies: Replies,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._open = open_chat
        self._replies = replies
        self._stop_watching = settings.on_change(self._on_setting_changed)
        composer.set_sends_with_command(settings.get(_SEND_KEY) == "command_return")
        replies.show_stats = settings.get(_SHOW_STATS)

    def _on_setting_changed(self, key: str, value: Any) -> None:
        if key == _SEND_KEY:
            self._composer.set_sends_with_command(value == "command_return")
        elif key == _SHOW_STATS:
            self._replies.show_stats = value
            self._open.refresh()
