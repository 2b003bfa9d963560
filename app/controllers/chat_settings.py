"""The settings of the open chat: its own values over the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.controllers.chat_desk import ChatDesk
from app.settings.engine_params import cache_settings, sampling_params
from app.settings.store import SettingsStore
from app.settings.table import BY_KEY
from velox_core.engine.events import CacheSettings, SamplingParams

_SAVE_DELAY_MS = 300


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """What a reply is made with besides the messages.

    ``keep_prompt``: the cache keeps all of the system prompt.
    """

    system_prompt: str
    keep_prompt: bool
    sampling: SamplingParams
    cache: CacheSettings


class ChatSettings(QObject):
    """What holds for the chat that is open, be it saved already or not.

    Signals:
        changed: the keys of the settings whose values are different now.
    """

    changed = Signal(object)

    def __init__(
        self, settings: SettingsStore, desk: ChatDesk, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._desk = desk
        self._chat_id = ""
        self._own: dict[str, Any] = {}
        self._dirty = False
        self._values = settings.values_for_chat({})
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_DELAY_MS)
        self._timer.timeout.connect(self.flush)
        self._stop_watching = settings.on_change(self._on_default_changed)

    def open_chat(self, chat_id: str, own: Mapping[str, Any]) -> None:
        """Another chat is shown; ``chat_id`` is empty for one that is not saved yet."""
        self.flush()
        self._chat_id, self._dirty = chat_id, False
        self._own = dict(own)
        self._refresh()

    def adopt(self, chat_id: str) -> None:
        """The chat that was new has been saved under this id, with the settings of that moment."""
        self._chat_id = chat_id
        self.flush()

    @property
    def chat_id(self) -> str:
        """The chat whose settings these are; empty for one that is not saved yet."""
        return self._chat_id

    @property
    def own(self) -> Mapping[str, Any]:
        """What the chat sets differently from the defaults."""
        return dict(self._own)

    def get(self, key: str) -> Any:
        """The value that holds for the chat."""
        return self._values[key]

    def set(self, key: str, value: Any) -> None:
        """Give the chat a value of its own.

        Raises:
            SettingError: The value is not allowed; nothing changes.
        """
        checked = BY_KEY[key].check(value)
        if checked == self._values[key]:
            return
        self._own[key] = list(checked) if isinstance(checked, tuple) else checked
        self._dirty = True
        self._timer.start()
        self._refresh()

    def reset(self) -> None:
        """Take all of the chat's own values away."""
        self._own.clear()
        self._dirty = True
        self._timer.start()
        self._refresh()

    def plan(self) -> ReplyPlan:
        """What a reply asked for now is made with."""
        return ReplyPlan(
            self.get("chat.system_prompt"),
            self.get("memory.protect_system_prompt"),
            sampling_params(self._values),
            self.cache(),
        )

    def cache(self) -> CacheSettings:
        """How the KV cache is bounded."""
        return cache_settings(self._values)

    @Slot()
    def flush(self) -> None:
        """Save what has changed; what a chat not saved yet sets is saved with its first message."""
        self._timer.stop()
        if self._dirty and self._chat_id:
            self._dirty = False
            chat_id, own = self._chat_id, dict(self._own)
            self._desk.run(lambda store: store.set_chat_settings(chat_id, own))

    def _on_default_changed(self, key: str, _value: Any) -> None:
        if key in self._values and key not in self._own:
            self._refresh()

    def _refresh(self) -> None:
        before, self._values = self._values, self._settings.values_for_chat(self._own)
        keys = {key for key, value in self._values.items() if before[key] != value}
        if keys:
            self.changed.emit(frozenset(keys))
