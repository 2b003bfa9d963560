"""Settings that change how the window's parts behave, applied at the start and at once."""

from typing import Any

from PySide6.QtCore import QObject

from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.settings.store import SettingsStore
from app.widgets.composer import Composer
from app.widgets.transcript import TranscriptView

_SEND_KEY = "chat.send_key"
_SHOW_STATS = "appearance.show_stats"


class PreferencesController(QObject):
    """Applies the send key wherever messages are written; shows or hides the replies' numbers."""

    def __init__(
        self,
        settings: SettingsStore,
        composer: Composer,
        transcript: TranscriptView,
        open_chat: OpenChat,
        replies: Replies,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._composer, self._transcript = composer, transcript
        self._open = open_chat
        self._replies = replies
        self._stop_watching = settings.on_change(self._on_setting_changed)
        self._apply_send_key(settings.get(_SEND_KEY))
        replies.show_stats = settings.get(_SHOW_STATS)

    def _on_setting_changed(self, key: str, value: Any) -> None:
        if key == _SEND_KEY:
            self._apply_send_key(value)
        elif key == _SHOW_STATS:
            self._replies.show_stats = value
            self._open.refresh()

    def _apply_send_key(self, value: str) -> None:
        for part in (self._composer, self._transcript):
            part.set_sends_with_command(value == "command_return")
