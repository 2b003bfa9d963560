"""The memory panel: what was measured, and the sliders that act while a reply is made."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import psutil
from PySide6.QtCore import QObject, Signal, Slot

from app.controllers import dialogs
from app.controllers.chat_settings import ChatSettings
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.controllers.suggested_budget import Suggestion, suggest_budget
from app.models.formats import format_count
from app.models.memory_view import MemoryView
from app.models.time_sample import TimeSample
from app.settings.table import BY_KEY
from app.widgets.memory_panel import MemoryPanel
from app.workers.engine_client import EngineClient
from velox_core.engine.events import CacheMeasured, CacheStats, ModelInfo
from velox_core.engine.live_events import CacheRefused

_CACHE_KEYS = frozenset({"memory.budget", "memory.n_sink", "memory.bounded"})
_MOST_BUDGET = int(BY_KEY["memory.budget"].maximum or 0)
_LEAST_BUDGET = int(BY_KEY["memory.budget"].minimum or 0)
_MOST_SINKS = int(BY_KEY["memory.n_sink"].maximum or 0)


class MemoryController(QObject):
    """Wires the panel to the engine's measurements and to the open chat's settings.

    Signals:
        shown: the figures that the panel shows now, a :class:`MemoryView`.
        problem: one plain sentence to show.
    """

    shown = Signal(object)
    problem = Signal(str)

    def __init__(
        self,
        panel: MemoryPanel,
        client: EngineClient,
        open_chat: OpenChat,
        replies: Replies,
        settings: ChatSettings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._client = client
        self._open = open_chat
        self._replies = replies
        self._settings = settings
        self.view = MemoryView()
        self.suggestion: Suggestion | None = None
        self._total_nbytes = psutil.virtual_memory().total
        self._memory_nbytes = 0
        panel.sinks.set_range(0, _MOST_SINKS)
        panel.budget_changed.connect(lambda value: self._set("memory.budget", value))
        panel.sinks_changed.connect(lambda value: self._set("memory.n_sink", value))
        panel.suggestion_requested.connect(self.ask_suggested)
        panel.bounded_toggled.connect(lambda value: self._set("memory.bounded", value))
        settings.changed.connect(self._on_settings_changed)
        client.cache_measured.connect(self._on_cache_measured)
        client.cache_refused.connect(self._on_cache_refused)
        open_chat.opened.connect(self._on_opened)
        replies.busy_changed.connect(self._on_busy_changed)
        self._show_settings()

    def set_model(self, info: ModelInfo | None) -> None:
        """Another model is loaded; the slider reaches to its window."""
        window = info.context_window if info else _MOST_BUDGET
        self._panel.budget.set_range(_LEAST_BUDGET, min(window, _MOST_BUDGET))
        self.suggestion = suggest_budget(info, self._total_nbytes) if info else None
        if self.suggestion is None:
            self._panel.budget.set_suggested(None)
        else:
            self._panel.budget.set_suggested(self.suggestion.budget, self.suggestion.why)
        self._show_settings()

    @Slot()
    def ask_suggested(self) -> None:
        """Show the suggested budget with its sum, and take it over when the person agrees."""
        suggestion = self.suggestion
        if suggestion is None:
            self.problem.emit(self.tr("No model is loaded; choose one at the top first."))
            return
        budget = format_count(suggestion.budget)
        dialogs.ask(
            self._panel.window(),
            self.tr("Suggested budget"),
            self.tr("{budget} tokens are suggested for this computer.").format(budget=budget),
            suggestion.why,
            self.tr("Use {budget}").format(budget=budget),
            lambda: self._set("memory.budget", suggestion.budget),
        )

    def show_measured(self, chat_id: str, stats: CacheStats) -> None:
        """Show what was measured, if that chat is open."""
        if not chat_id or chat_id != self._open.chat_id:
            return
        self._show(
            MemoryView(
                cache_nbytes=stats.cache_nbytes,
                full_cache_nbytes=stats.full_cache_nbytes,
                tokens_kept=stats.tokens_kept,
                tokens_seen=stats.tokens_seen,
                ratio=stats.compression_ratio,
                memory_nbytes=stats.memory_nbytes,
                total_nbytes=self._total_nbytes,
                bounded=stats.bounded,
            )
        )
        self._panel.timeline.add_sample(_sample(self.view, stats.budget))

    def show_process(self, nbytes: int) -> None:
        """Show the process's memory as measured now."""
        self._memory_nbytes = nbytes
        self.view = dataclasses.replace(
            self.view, memory_nbytes=nbytes, total_nbytes=self._total_nbytes
        )
        self._panel.show_memory(self.view)

    def _set(self, key: str, value: int | bool) -> None:
        self._settings.set(key, value)

    def _show(self, view: MemoryView) -> None:
        # The process is the same in every chat; what a stored reply measured was another one.
        self._memory_nbytes = view.memory_nbytes or self._memory_nbytes
        view = dataclasses.replace(
            view, memory_nbytes=self._memory_nbytes, total_nbytes=self._total_nbytes
        )
        self.view = view
        self._panel.show_memory(view)
        self._show_pending()
        self.shown.emit(view)

    def _show_settings(self) -> None:
        self._panel.budget.set_value(self._settings.get("memory.budget"))
        self._panel.sinks.set_value(self._settings.get("memory.n_sink"))
        self._panel.set_bounded(self._settings.get("memory.bounded"))
        self._show_pending()

    def _show_pending(self) -> None:
        """Say so when the switch does not tell what the cache is now."""
        wanted = self._settings.get("memory.bounded")
        self._panel.set_pending(bool(self.view.tokens_seen) and wanted != self.view.bounded)

    @Slot(object)
    def _on_settings_changed(self, keys: frozenset[str]) -> None:
        if not keys & _CACHE_KEYS:
            return
        self._show_settings()
        # Not the open chat's id: while another one is opened, its settings are there first.
        if self._settings.chat_id:
            self._client.set_cache(self._settings.chat_id, self._settings.cache())

    @Slot(object)
    def _on_cache_measured(self, event: CacheMeasured) -> None:
        self.show_measured(event.chat_id, event.stats)

    @Slot(object)
    def _on_cache_refused(self, event: CacheRefused) -> None:
        """Show what still holds, and why."""
        if event.chat_id != self._settings.chat_id:
            return
        self.problem.emit(event.message)
        self._set("memory.budget", event.cache.budget)
        self._set("memory.n_sink", event.cache.n_sink)

    @Slot(str)
    def _on_opened(self, chat_id: str) -> None:
        self._panel.set_live(self._replies.is_busy(chat_id))
        self._panel.timeline.clear()
        view = MemoryView(total_nbytes=self._total_nbytes)
        for record in self._open.path:
            cache = record.stats.get("cache")
            if isinstance(cache, Mapping) and (measured := _stored_view(cache)):
                view = measured
                self._panel.timeline.add_turn()
                self._panel.timeline.add_sample(_sample(view, _budget(cache)))
        self._show(view)

    @Slot(str, bool)
    def _on_busy_changed(self, chat_id: str, busy: bool) -> None:
        if chat_id == self._open.chat_id:
            self._panel.set_live(busy)
            if busy:
                self._panel.timeline.add_turn()


def _sample(view: MemoryView, budget: int) -> TimeSample:
    return TimeSample(
        tokens_seen=view.tokens_seen,
        tokens_kept=view.tokens_kept,
        cache_nbytes=view.cache_nbytes,
        full_cache_nbytes=view.full_cache_nbytes,
        budget=budget if view.bounded else 0,
    )


def _budget(cache: Mapping[str, Any]) -> int:
    budget = cache.get("budget")
    return budget if isinstance(budget, int) else 0


def _stored_view(cache: Mapping[str, Any]) -> MemoryView | None:
    """What was measured at the end of a stored reply; None when that cannot be read.

    The process's memory is left out: it was another process then.
    """
    try:
        return MemoryView(
            cache_nbytes=int(cache["cache_nbytes"]),
            full_cache_nbytes=int(cache["full_cache_nbytes"]),
            tokens_kept=int(cache["tokens_kept"]),
            tokens_seen=int(cache["tokens_seen"]),
            ratio=float(cache["compression_ratio"]),
            bounded=bool(cache["bounded"]),
        )
    except (KeyError, TypeError, ValueError):
        return None
