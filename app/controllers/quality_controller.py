"""What a budget costs in quality, measured on the open chat."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.controllers import chat_jobs, dialogs
from app.controllers.chat_settings import ChatSettings
from app.controllers.measured_speed import MeasuredSpeed
from app.controllers.memory_controller import MemoryController
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.models.formats import format_count, format_seconds
from app.settings.table import BY_KEY
from app.workers.engine_client import EngineClient
from velox_core.engine.estimates import quality_seconds
from velox_core.engine.events import RequestFailed
from velox_core.engine.task_events import (
    QualityChecked,
    QualityPoint,
    QualityProgressed,
    RequestStopped,
)

_BAR = "quality"
_N_COMPARED = 64
_LEAST_BUDGET = int(BY_KEY["memory.budget"].minimum or 0)


class QualityController(QObject):
    """Asks, measures in the background, can be stopped, and shows the result.

    Signals:
        problem: one plain sentence to show.
        shown: the result as text.
    """

    problem = Signal(str)
    shown = Signal(str)

    def __init__(
        self,
        window: QWidget,
        client: EngineClient,
        open_chat: OpenChat,
        replies: Replies,
        settings: ChatSettings,
        models: ModelController,
        memory: MemoryController,
        speed: MeasuredSpeed,
        messages: MessageBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._client = client
        self._open = open_chat
        self._replies = replies
        self._settings = settings
        self._models = models
        self._memory = memory
        self._speed = speed
        self._messages = messages
        self._request_id = ""
        client.quality_progressed.connect(self._on_quality_progressed)
        client.quality_checked.connect(self._on_quality_checked)
        client.request_stopped.connect(self._on_request_stopped)
        client.request_failed.connect(self._on_request_failed)

    def budgets(self) -> tuple[int, ...]:
        """The budgets to compare: the present one, and what is above and below it.

        Budgets far beyond the chat's length all equal the full cache, so those below it count.
        """
        budget = int(self._settings.get("memory.budget"))
        n_seen = self._memory.view.tokens_seen
        base = min(budget, n_seen)
        wanted = {base // 4, base // 2, budget}
        if budget < n_seen:
            wanted.add(budget * 2)
        return tuple(sorted(b for b in wanted if b >= _LEAST_BUDGET))

    def estimate(self) -> str:
        """What the check takes, in words."""
        seconds = quality_seconds(
            self._memory.view.tokens_seen,
            _N_COMPARED,
            len(self.budgets()),
            self._speed.prefill_tps,
            self._speed.decode_tps,
        )
        budgets = ", ".join(map(format_count, self.budgets()))
        what = self.tr(
            "The last {n} tokens of this chat are predicted with the full cache and with the "
            "budgets {budgets}."
        ).format(n=_N_COMPARED, budgets=budgets)
        if not seconds:
            return f"{what} {self.tr('How long that takes was not measured yet.')}"
        time = self.tr("It takes about {time} (an estimate from the last reply).")
        return f"{what} {time.format(time=format_seconds(seconds))}"

    @Slot()
    def ask(self) -> None:
        """Say what it will take, and start when the person agrees."""
        why = self._why_not()
        if why:
            self.problem.emit(why)
            return
        dialogs.ask(
            self._window,
            self.tr("Check quality"),
            self.tr("Measure what the budget costs in quality?"),
            self.estimate(),
            self.tr("Check"),
            self.start,
        )

    @Slot()
    def start(self) -> None:
        """Measure the open chat."""
        if self._why_not():
            return
        plan = self._settings.plan()
        turns = chat_jobs.turns_of(
            self._open.path, plan.system_prompt, plan.keep_prompt, continued=True
        )
        self._request_id = self._client.check_quality(
            self._open.chat_id, turns, self.budgets(), plan.cache.n_sink, _N_COMPARED
        )
        self._tell(self.tr("Checking quality…"))

    @Slot()
    def stop(self) -> None:
        """Stop measuring."""
        if self._request_id:
            self._client.cancel(self._request_id)

    def _why_not(self) -> str:
        if self._models.state is not ModelState.READY:
            return self.tr("No model is loaded; choose one at the top first.")
        if not self._open.path:
            return self.tr("This chat is empty; there is nothing to measure.")
        if self._request_id or self._replies.is_busy(self._open.chat_id):
            return self.tr("The model is busy; wait until it is done, or stop it.")
        return ""

    def _tell(self, sentence: str) -> None:
        self._messages.show_progress(_BAR, sentence, self.stop)

    def _end(self) -> None:
        self._request_id = ""
        self._messages.clear(_BAR)

    def _line(self, point: QualityPoint) -> str:
        return self.tr(
            "Budget {budget}: {percent} % of the likeliest tokens are the same, perplexity "
            "{ratio} times the full cache's, mean KL {kl} nats"
        ).format(
            budget=format_count(point.budget),
            percent=round(100 * point.top_agreement),
            ratio=f"{point.perplexity_ratio:.2f}",
            kl=f"{point.mean_kl:.3f}",
        )

    @Slot(object)
    def _on_quality_progressed(self, event: QualityProgressed) -> None:
        if event.request_id == self._request_id:
            text = self.tr("Checking quality: {percent} %, about {time} left")
            self._tell(
                text.format(
                    percent=round(100 * event.fraction), time=format_seconds(event.seconds_left)
                )
            )

    @Slot(object)
    def _on_quality_checked(self, event: QualityChecked) -> None:
        if event.request_id != self._request_id:
            return
        self._end()
        text = "\n\n".join(self._line(point) for point in event.points)
        heading = self.tr("Measured on the last {n} tokens of this chat").format(
            n=event.points[0].n_tokens if event.points else 0
        )
        dialogs.tell(self._window, self.tr("Quality"), heading, text)
        self.shown.emit(text)

    @Slot(object)
    def _on_request_stopped(self, event: RequestStopped) -> None:
        if event.request_id == self._request_id:
            self._end()

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        if event.request_id == self._request_id:
            self._end()
            self.problem.emit(event.message)
