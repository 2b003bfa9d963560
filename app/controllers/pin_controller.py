"""Pinned messages and the system prompt: what the cache must keep, changed at any moment."""

from PySide6.QtCore import QObject, Signal, Slot

from app.controllers.chat_jobs import SYSTEM_PROMPT_ID
from app.controllers.chat_settings import ChatSettings
from app.controllers.open_chat import OpenChat
from app.controllers.turns_controller import TurnsController
from app.workers.engine_client import EngineClient
from velox_core.engine.live_events import PinsRefused

_KEEP_PROMPT = "memory.protect_system_prompt"


class PinController(QObject):
    """Tells the engine when the open chat's pins change; each request carries its own as well.

    Pins that do not fit the budget are refused, and taken back.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

    def __init__(
        self,
        client: EngineClient,
        open_chat: OpenChat,
        settings: ChatSettings,
        turns: TurnsController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._open = open_chat
        self._settings = settings
        self._turns = turns
        self._told: tuple[str, frozenset[str]] = ("", frozenset())
        self._new: frozenset[str] = frozenset()
        client.pins_refused.connect(self._on_pins_refused)
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
            self._new = pins[1] - self._told[1]
            self._told = pins
            self._client.set_pins(*pins)

    @Slot(object)
    def _on_settings_changed(self, keys: frozenset[str]) -> None:
        if _KEEP_PROMPT in keys and self._open.chat_id == self._told[0]:
            self._on_path_changed()

    @Slot(object)
    def _on_pins_refused(self, event: PinsRefused) -> None:
        if event.chat_id != self._told[0]:
            return
        self.problem.emit(event.message)
        new, self._new = self._new, frozenset()
        if SYSTEM_PROMPT_ID in new:
            self._settings.set(_KEEP_PROMPT, False)
        for message_id in new - {SYSTEM_PROMPT_ID}:
            self._turns.set_pinned(message_id, False)
