"""Reading the open chat again, after its budget was raised or a pin taken away."""

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
from app.workers.engine_client import EngineClient
from velox_core.engine.estimates import reread_seconds
from velox_core.engine.events import PrefillProgressed, RequestFailed
from velox_core.engine.task_events import ConversationReRead, RequestStopped

_BAR = "reread"


class RereadController(QObject):
    """Asks, starts, tells how far it is, and can be stopped; the old cache stays until the end.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

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
        self._request_id = self._chat_id = ""
        client.prefill_progressed.connect(self._on_prefill_progressed)
        client.conversation_reread.connect(self._on_conversation_reread)
        client.request_stopped.connect(self._on_request_stopped)
        client.request_failed.connect(self._on_request_failed)

    @Slot()
    def ask(self) -> None:
        """Say what it will take, and start when the person agrees."""
        why = self._why_not()
        if why:
            self.problem.emit(why)
            return
        dialogs.ask(
            self._window,
            self.tr("Re-read conversation"),
            self.tr("Read the whole conversation again?"),
            self.estimate(),
            self.tr("Re-read"),
            self.start,
        )

    def estimate(self) -> str:
        """What reading again takes, in words."""
        n_tokens = self._memory.view.tokens_seen
        seconds = reread_seconds(n_tokens, self._speed.prefill_tps)
        budget = self.tr("Then the newest tokens that fit the budget are remembered again.")
        if not n_tokens:
            return budget
        if not seconds:
            text = self.tr("{n} tokens are read; how long that takes was not measured yet.")
            return f"{text.format(n=format_count(n_tokens))} {budget}"
        text = self.tr("{n} tokens take about {time} (an estimate from the last reply).")
        return f"{text.format(n=format_count(n_tokens), time=format_seconds(seconds))} {budget}"

    @Slot()
    def start(self) -> None:
        """Read the open chat again."""
        if self._why_not():
            return
        plan = self._settings.plan()
        turns = chat_jobs.turns_of(
            self._open.path, plan.system_prompt, plan.keep_prompt, continued=True
        )
        self._chat_id = self._open.chat_id
        self._request_id = self._client.reread(self._chat_id, turns, plan.cache)
        self._tell(0.0)

    @Slot()
    def stop(self) -> None:
        """Stop reading; the old cache is used on."""
        if self._request_id:
            self._client.cancel(self._request_id)

    def _why_not(self) -> str:
        if self._models.state is not ModelState.READY:
            return self.tr("No model is loaded; choose one at the top first.")
        if not self._open.path:
            return self.tr("This chat is empty; there is nothing to read.")
        if self._request_id or self._replies.is_busy(self._open.chat_id):
            return self.tr("The model is busy; wait until it is done, or stop it.")
        return ""

    def _tell(self, share: float) -> None:
        text = self.tr("Reading the conversation again: {percent} %")
        self._messages.show_progress(_BAR, text.format(percent=round(100 * share)), self.stop)

    def _end(self) -> None:
        self._request_id = ""
        self._messages.clear(_BAR)

    @Slot(object)
    def _on_prefill_progressed(self, event: PrefillProgressed) -> None:
        if event.request_id == self._request_id and event.total:
            self._tell(event.done / event.total)

    @Slot(object)
    def _on_conversation_reread(self, event: ConversationReRead) -> None:
        if event.request_id != self._request_id:
            return
        self._end()
        self._memory.show_measured(self._chat_id, event.stats)
        # Have the shading measured anew, too.
        self._client.set_cache(self._settings.cache())

    @Slot(object)
    def _on_request_stopped(self, event: RequestStopped) -> None:
        if event.request_id == self._request_id:
            self._end()

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        if event.request_id == self._request_id:
            self._end()
            self.problem.emit(event.message)
