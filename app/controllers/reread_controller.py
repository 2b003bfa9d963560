"""Reading the open chat again, after its budget was raised or a pin taken away."""

from PySide6.QtCore import QObject, Slot

from app.controllers.chat_settings import ReplyPlan
from app.controllers.long_task import LongTask, TaskParts
from app.models.formats import format_count, format_seconds
from velox_core.engine.estimates import reread_seconds
from velox_core.engine.events import PrefillProgressed, Turn
from velox_core.engine.task_events import ConversationReRead


class RereadController(LongTask):
    """The old cache stays until the new one is ready."""

    bar = "reread"

    def __init__(self, parts: TaskParts, parent: QObject | None = None) -> None:
        super().__init__(parts, parent)
        self._chat_id = ""
        parts.client.prefill_progressed.connect(self._on_prefill_progressed)
        parts.client.conversation_reread.connect(self._on_conversation_reread)

    def question(self) -> tuple[str, str, str]:
        """See :meth:`LongTask.question`."""
        return (
            self.tr("Re-read conversation"),
            self.tr("Read the whole conversation again?"),
            self.tr("Re-read"),
        )

    def estimate(self) -> str:
        """What reading again takes, in words."""
        n_tokens = self.parts.memory.view.tokens_seen
        seconds = reread_seconds(n_tokens, self.parts.speed.prefill_tps)
        budget = self.tr("Then the newest tokens that fit the budget are remembered again.")
        if not n_tokens:
            return budget
        if not seconds:
            text = self.tr("{n} tokens are read; how long that takes was not measured yet.")
            return f"{text.format(n=format_count(n_tokens))} {budget}"
        text = self.tr("{n} tokens take about {time} (an estimate from the last reply).")
        return f"{text.format(n=format_count(n_tokens), time=format_seconds(seconds))} {budget}"

    def begin(self, plan: ReplyPlan, turns: tuple[Turn, ...]) -> str:
        """See :meth:`LongTask.begin`."""
        self._chat_id = self.parts.open_chat.chat_id
        self._tell_share(0.0)
        return self.parts.client.reread(self._chat_id, turns, plan.cache)

    def _tell_share(self, share: float) -> None:
        text = self.tr("Reading the conversation again: {percent} %")
        self.tell(text.format(percent=round(100 * share)))

    @Slot(object)
    def _on_prefill_progressed(self, event: PrefillProgressed) -> None:
        if self.is_ours(event.request_id) and event.total:
            self._tell_share(event.done / event.total)

    @Slot(object)
    def _on_conversation_reread(self, event: ConversationReRead) -> None:
        if not self.is_ours(event.request_id):
            return
        self.end()
        self.parts.memory.show_measured(self._chat_id, event.stats)
