"""One prompt answered twice, with the open chat's budget and with the full cache, same seed."""

import dataclasses
import secrets

from PySide6.QtCore import QObject, Slot

from app.controllers import chat_jobs
from app.controllers.chat_settings import ChatSettings, ReplyPlan
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.models.comparison import CompareSide
from app.models.formats import format_bytes, format_count, format_seconds
from app.widgets.compare_window import CompareColumn, CompareWindow
from app.workers.engine_client import EngineClient
from velox_core.engine.events import (
    CacheMeasured,
    CacheStats,
    PrefillProgressed,
    ReplyFinished,
    ReplyStopped,
    RequestFailed,
    TextAdded,
    Turn,
)

_BOUNDED, _FULL = "compare-bounded", "compare-full"
_PROBLEM = "problem"


class CompareController(QObject):
    """Asks the engine for one reply after the other; nothing of it is saved in the chat."""

    def __init__(
        self,
        client: EngineClient,
        open_chat: OpenChat,
        settings: ChatSettings,
        models: ModelController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._open = open_chat
        self._settings = settings
        self._models = models
        self._window: CompareWindow | None = None
        self._requests: dict[str, CompareColumn] = {}
        client.prefill_progressed.connect(self._on_prefill_progressed)
        client.text_added.connect(self._on_text_added)
        client.cache_measured.connect(self._on_cache_measured)
        client.reply_finished.connect(self._on_finished)
        client.reply_stopped.connect(self._on_finished)
        client.request_failed.connect(self._on_failed)

    @property
    def window(self) -> CompareWindow | None:
        """The window, once it was opened."""
        return self._window

    @Slot()
    def open(self) -> None:
        """Show the window; the last thing that was asked stands in it."""
        if self._window is None:
            self._window = CompareWindow()
            self._window.compare_requested.connect(self._on_compare_requested)
            self._window.stop_requested.connect(self._on_stop_requested)
        asked = [record.content for record in self._open.path if record.role == "user"]
        if asked and not self._window.prompt.toPlainText():
            self._window.prompt.setPlainText(asked[-1][:2000])
        self._window.bring_to_front()

    def close(self) -> None:
        """Take the window away; the application ends."""
        self._requests.clear()
        if self._window is not None:
            self._window.close()
            self._window.deleteLater()
            self._window = None

    @Slot(str)
    def _on_compare_requested(self, prompt: str) -> None:
        window = self._window
        if window is None or self._requests:
            return
        window.banners.clear_message(_PROBLEM)
        if self._models.state is not ModelState.READY:
            text = self.tr("No model is loaded; choose one in the main window first.")
            window.banners.show_message(_PROBLEM, text)
            return
        window.clear()
        plan = self._settings.plan()
        seed = plan.sampling.seed if plan.sampling.seed is not None else secrets.randbelow(2**31)
        sampling = dataclasses.replace(plan.sampling, seed=seed)
        bounded = dataclasses.replace(plan.cache, bounded=True)
        full = dataclasses.replace(plan.cache, bounded=False)
        turns = (*self._turns_before(prompt, plan), Turn("user", prompt))
        window.bounded.set_title(
            self.tr("With a budget of {n} tokens").format(n=format_count(bounded.budget))
        )
        for name, cache, column in (
            (_BOUNDED, bounded, window.bounded),
            (_FULL, full, window.full),
        ):
            self._requests[self._client.reply(name, turns, sampling, cache)] = column
            # As soon as it is answered, so that nothing of it stays in memory or goes to disk.
            self._client.forget_chat(name)
        window.set_busy(True)

    def _turns_before(self, prompt: str, plan: ReplyPlan) -> tuple[Turn, ...]:
        """The open chat; when its last question is asked again, only up to there."""
        path = list(self._open.path)
        asked = [place for place, record in enumerate(path) if record.role == "user"]
        if asked and path[asked[-1]].content.strip() == prompt:
            path = path[: asked[-1]]
        elif path and path[-1].role == "user":
            path = path[:-1]
        return chat_jobs.turns_of(path, plan.system_prompt, plan.keep_prompt, continued=True)

    @Slot()
    def _on_stop_requested(self) -> None:
        for request_id in self._requests:
            self._client.cancel(request_id)

    @Slot(object)
    def _on_prefill_progressed(self, event: PrefillProgressed) -> None:
        column = self._requests.get(event.request_id)
        if column is not None and self._window is not None:
            text = self.tr("{title}: reading {done} of {total} tokens…").format(
                title=column.title(),
                done=format_count(event.done),
                total=format_count(event.total),
            )
            self._window.verdict.setText(text if event.done < event.total else "")

    @Slot(object)
    def _on_text_added(self, event: TextAdded) -> None:
        if column := self._requests.get(event.request_id):
            column.append_text(event.text)

    @Slot(object)
    def _on_cache_measured(self, event: CacheMeasured) -> None:
        if column := self._requests.get(event.request_id):
            speed = self._speed(event.decode_tps)
            column.show_figures(dataclasses.replace(self._side(event.stats), speed=speed))

    @Slot(object)
    def _on_finished(self, event: ReplyFinished | ReplyStopped) -> None:
        column = self._requests.pop(event.request_id, None)
        if column is None:
            return
        column.set_text(event.text)
        if event.stats is not None:
            column.show_figures(
                dataclasses.replace(
                    self._side(event.stats.cache),
                    speed=self._speed(event.stats.decode_tps),
                    first_token=format_seconds(event.stats.ttft_s),
                )
            )
        self._end_if_done()

    @Slot(object)
    def _on_failed(self, event: RequestFailed) -> None:
        if self._requests.pop(event.request_id, None) is None:
            return
        if self._window is not None:
            self._window.banners.show_message(_PROBLEM, event.message)
        self._end_if_done()

    def _end_if_done(self) -> None:
        if not self._requests and self._window is not None:
            self._window.set_busy(False)
            self._window.show_difference()

    def _side(self, stats: CacheStats) -> CompareSide:
        return CompareSide(
            kept=f"{format_count(stats.tokens_kept)} / {format_count(stats.tokens_seen)}",
            cache=format_bytes(stats.cache_nbytes),
        )

    def _speed(self, tps: float) -> str:
        return self.tr("{tps} tok/s").format(tps=f"{tps:.1f}") if tps > 0 else "–"
