"""Pinned messages and the system prompt: what the cache must keep, changed at any moment."""

from PySide6.QtCore import QObject, Slot

from app.controllers.chat_jobs import SYSTEM_PROMPT_ID
from app.controllers.chat_settings import ChatSettings
from app.controllers.open_chat import OpenChat
from app.workers.engine_client import EngineClient

_KEEP_PROMPT = "memory.protect_system_prompt"


class PinController(QObject):
    """Tells the engine when the open chat's pins change; each request carries its own as well."""

    def __init__(
        self,
        client: EngineClient,
        open_chat: OpenChat,
        settings: ChatSettings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._open = open_chat
        self._settings = settings
        self._told: tuple[str, frozenset[str]] = ("", frozenset())
        open_chat.opened.connect(self._on_opened)
        open_chat.path_changed.connect(self._on_path_changed)
        settings.changed.connect(self._on_settings_changed)

    def _pins(self) -> frozenset[str]:
        pins = {record.id for record in self._open.path if record.pinned}
        if self._settings.get(_KEEP_PROMPT):
            pins.add(SYSTEM_PROMPT_ID)
        return frozenset(pins)

    @Slot(str)
    def _on_opened(self, chat_id: str) -> None:
        # Nothing to tell: the engine knows the chat as its last request had it.
        self._told = (chat_id, self._pins())

    @Slot()
    def _on_path_changed(self) -> None:
        pins = (self._open.chat_id, self._pins())
        if pins != self._told:
            self._told = pins
            self._client.set_pins(*pins)

    @Slot(object)
    def _on_settings_changed(self, keys: frozenset[str]) -> None:
        if _KEEP_PROMPT in keys and self._open.chat_id == self._told[0]:
            self._on_path_changed()
