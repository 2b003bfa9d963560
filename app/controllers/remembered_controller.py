"""Shows in the transcript what the cache still remembers of the open chat."""

import dataclasses
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from app.controllers.chat_jobs import SYSTEM_PROMPT_ID
from app.controllers.memory_controller import MemoryController
from app.controllers.open_chat import OpenChat
from app.models.formats import format_count
from app.models.memory_view import MemoryView
from app.models.message_view import MessageView
from app.models.remembered import Remembered
from app.settings.store import SettingsStore
from app.widgets.memory_panel import MemoryPanel
from app.widgets.transcript import TranscriptView
from app.workers.engine_client import EngineClient
from velox_core.engine.events import MemoryMeasured

_SHOW = "memory.show_remembered"


class RememberedController(QObject):
    """Switches the shading on and off, and keeps it as the engine measures it.

    Only messages on screen are shaded; scrolling shades what comes into view.
    """

    def __init__(
        self,
        panel: MemoryPanel,
        transcript: TranscriptView,
        action: QAction,
        client: EngineClient,
        open_chat: OpenChat,
        memory: MemoryController,
        settings: SettingsStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._transcript = transcript
        self._action = action
        self._client = client
        self._open = open_chat
        self._settings = settings
        self._measured: dict[str, Remembered] = {}
        self._shaded: dict[str, Remembered] = {}
        self._eviction_start: int | None = None
        self._divider = ""
        self._system_prompt = ""
        self._view = MemoryView()
        panel.remembered_toggled.connect(self._on_toggled)
        action.toggled.connect(self._on_toggled)
        transcript.visible_messages_changed.connect(self._shade)
        client.memory_measured.connect(self._on_memory_measured)
        open_chat.opened.connect(self._on_opened)
        open_chat.first_saved.connect(self._on_opened)
        open_chat.path_changed.connect(self._on_path_changed)
        memory.shown.connect(self._on_memory_shown)
        self._stop_watching = settings.on_change(self._on_setting_changed)
        self._apply()

    @property
    def is_on(self) -> bool:
        """Whether the shading is wanted."""
        return bool(self._settings.get(_SHOW))

    def _apply(self) -> None:
        is_on = self.is_on
        self._panel.remembered.setChecked(is_on)
        self._action.setChecked(is_on)
        self._transcript.set_shading_tip(self._tip if is_on else None)
        self._watch()
        if not is_on:
            self._forget()

    def _watch(self) -> None:
        self._client.watch_memory(self._open.chat_id or None if self.is_on else None)

    def _forget(self) -> None:
        """Take every mark away."""
        for message_id in self._shaded:
            self._transcript.set_shading(message_id, None)
            self._show_share(message_id, None)
        self._measured, self._shaded = {}, {}
        self._show_divider(None)
        self._show_system_prompt("")

    @Slot(bool)
    def _on_toggled(self, is_on: bool) -> None:
        self._settings.set(_SHOW, is_on)

    def _on_setting_changed(self, key: str, _value: Any) -> None:
        if key == _SHOW:
            self._apply()

    @Slot(str)
    def _on_opened(self, _chat_id: str) -> None:
        self._forget()
        if self.is_on:
            self._watch()

    @Slot()
    def _on_path_changed(self) -> None:
        # Messages drawn anew have no shading yet, and nothing stands above them.
        self._shaded = {}
        self._show_system_prompt(self._system_prompt)
        self._shade()

    @Slot(object)
    def _on_memory_shown(self, view: MemoryView) -> None:
        self._view = view

    @Slot(object)
    def _on_memory_measured(self, event: MemoryMeasured) -> None:
        if not self.is_on or event.chat_id != self._open.chat_id:
            return
        self._measured = {
            item.message_id: Remembered(item.positions, item.starts, item.ends, item.shares)
            for item in event.messages
        }
        self._show_system_prompt(event.system_prompt)
        self._shade()
        self._show_divider(event.eviction_start)

    @Slot()
    def _shade(self) -> None:
        for message_id in self._transcript.visible_message_ids() if self._measured else ():
            measured = self._measured.get(message_id)
            view = self._transcript.message(message_id)
            if measured is None or view is None or self._shaded.get(message_id) == measured:
                continue
            self._transcript.set_shading(message_id, measured.words(view.text))
            self._show_share(message_id, measured.share)
            self._shaded[message_id] = measured

    def _show_share(self, message_id: str, share: float | None) -> None:
        view = self._transcript.message(message_id)
        if view is None or view.busy:
            return
        rounded = None if share is None else round(share, 2)
        if view.remembered != rounded:
            self._transcript.update_message(dataclasses.replace(view, remembered=rounded))

    def _show_system_prompt(self, text: str) -> None:
        """Show it as it was read, above the messages: it can be forgotten like them."""
        self._system_prompt = text
        heading = MessageView(SYSTEM_PROMPT_ID, "system", text, can_pin=False) if text else None
        self._transcript.set_heading(heading)

    def _show_divider(self, eviction_start: int | None) -> None:
        """Draw the line under the message in which eviction began."""
        place = ""
        if eviction_start is not None:
            for message_id, measured in self._measured.items():
                if measured.positions and measured.positions[0] <= eviction_start:
                    place = message_id
        if self._divider and self._divider != place:
            self._transcript.set_divider(self._divider, None)
        self._divider = place
        if place:
            text = self.tr("The model now keeps {kept} of {seen} tokens — older details fade here")
            self._transcript.set_divider(
                place,
                text.format(
                    kept=format_count(self._view.tokens_kept),
                    seen=format_count(self._view.tokens_seen),
                ),
            )

    def _tip(self, message_id: str, offset: int) -> str:
        measured = self._measured.get(message_id)
        token = measured.token_at(offset) if measured else None
        if measured is None or token is None:
            return ""
        return self.tr("held by {percent} % of the cache, token {number}").format(
            percent=round(100 * measured.shares[token]),
            number=format_count(measured.positions[token] + 1),
        )
