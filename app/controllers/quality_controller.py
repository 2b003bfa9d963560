"""What a budget costs in quality, measured on the open chat."""

from PySide6.QtCore import QObject, Signal, Slot

from app.controllers.chat_settings import ReplyPlan
from app.controllers.long_task import LongTask, TaskParts
from app.models.budget_point import BudgetPoint
from app.models.formats import format_count, format_seconds
from app.settings.table import BY_KEY
from app.widgets.quality_window import QualityWindow
from velox_core.engine.estimates import quality_seconds
from velox_core.engine.events import Turn
from velox_core.engine.task_events import QualityChecked, QualityProgressed

_N_COMPARED = 64
_LEAST_BUDGET = int(BY_KEY["memory.budget"].minimum or 0)


class QualityController(LongTask):
    """Measures in the background and shows the result in a window of its own.

    Signals:
        shown: the result is in the window.
    """

    shown = Signal()

    bar = "quality"

    def __init__(self, parts: TaskParts, parent: QObject | None = None) -> None:
        super().__init__(parts, parent)
        self._present = 0
        self.window: QualityWindow | None = None
        parts.client.quality_progressed.connect(self._on_quality_progressed)
        parts.client.quality_checked.connect(self._on_quality_checked)

    def budgets(self) -> tuple[int, ...]:
        """The budgets to compare: the present one, and what is above and below it.

        Budgets far beyond the chat's length all equal the full cache, so those below it count.
        """
        budget = int(self.parts.settings.get("memory.budget"))
        n_seen = self.parts.memory.view.tokens_seen
        base = min(budget, n_seen)
        wanted = {base // 4, base // 2, budget}
        if budget < n_seen:
            wanted.add(budget * 2)
        return tuple(sorted(b for b in wanted if b >= _LEAST_BUDGET))

    def question(self) -> tuple[str, str, str]:
        """See :meth:`LongTask.question`."""
        return (
            self.tr("Check quality"),
            self.tr("Measure what the budget costs in quality?"),
            self.tr("Check"),
        )

    def estimate(self) -> str:
        """What the check takes, in words."""
        seconds = quality_seconds(
            self.parts.memory.view.tokens_seen,
            _N_COMPARED,
            len(self.budgets()),
            self.parts.speed.prefill_tps,
            self.parts.speed.decode_tps,
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

    def begin(self, plan: ReplyPlan, turns: tuple[Turn, ...]) -> str:
        """See :meth:`LongTask.begin`."""
        self._present = plan.cache.budget
        self.tell(self.tr("Checking quality…"))
        return self.parts.client.check_quality(
            self.parts.open_chat.chat_id, turns, self.budgets(), plan.cache.n_sink, _N_COMPARED
        )

    def close(self) -> None:
        """Take the window away; the application ends."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None

    @Slot(object)
    def _on_quality_progressed(self, event: QualityProgressed) -> None:
        if self.is_ours(event.request_id):
            text = self.tr("Checking quality: {percent} %, about {time} left")
            time = format_seconds(event.seconds_left)
            self.tell(text.format(percent=round(100 * event.fraction), time=time))

    @Slot(object)
    def _on_quality_checked(self, event: QualityChecked) -> None:
        if not self.is_ours(event.request_id):
            return
        self.end()
        points = [
            BudgetPoint(
                point.budget,
                point.top_agreement,
                point.perplexity_ratio,
                point.mean_kl,
                point.budget == self._present,
            )
            for point in event.points
        ]
        n_tokens = event.points[0].n_tokens if event.points else 0
        heading = self.tr("Measured on the last {n} tokens of this chat").format(n=n_tokens)
        if self.window is None:
            self.window = QualityWindow()
        self.window.show_result(heading, points)
        self.window.bring_to_front()
        self.shown.emit()
