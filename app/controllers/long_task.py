"""What takes the engine longer than a reply: priced first, told how far it is, stoppable."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.controllers import chat_jobs, dialogs
from app.controllers.chat_settings import ChatSettings, ReplyPlan
from app.controllers.measured_speed import MeasuredSpeed
from app.controllers.memory_controller import MemoryController
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.workers.engine_client import EngineClient
from velox_core.engine.events import RequestFailed, Turn
from velox_core.engine.task_events import RequestStopped


@dataclass(frozen=True, slots=True)
class TaskParts:
    """The parts of the application that a long task works with."""

    window: QWidget
    client: EngineClient
    open_chat: OpenChat
    replies: Replies
    settings: ChatSettings
    models: ModelController
    memory: MemoryController
    speed: MeasuredSpeed
    messages: MessageBar


class LongTask(QObject):
    """One task on the open chat; a subclass says what it asks, starts and shows.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

    bar = ""
    """The name of its line of progress."""

    def __init__(self, parts: TaskParts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.parts = parts
        self._request_id = ""
        parts.client.request_stopped.connect(self._on_request_stopped)
        parts.client.request_failed.connect(self._on_request_failed)

    def estimate(self) -> str:
        """What the task takes, in words."""
        raise NotImplementedError

    def question(self) -> tuple[str, str, str]:
        """The title and the question to ask before it starts, and the button that accepts."""
        raise NotImplementedError

    def begin(self, plan: ReplyPlan, turns: tuple[Turn, ...]) -> str:
        """Hand the task to the engine; returns the request's id."""
        raise NotImplementedError

    @Slot()
    def ask(self) -> None:
        """Say what it will take, and start when the person agrees."""
        why = self._why_not()
        if why:
            self.problem.emit(why)
            return
        self.parts.speed.recall(
            record.stats
            for record in self.parts.open_chat.path
            if record.model == self.parts.models.name
        )
        title, question, accept = self.question()
        dialogs.ask(self.parts.window, title, question, self.estimate(), accept, self.start)

    @Slot()
    def start(self) -> None:
        """Start it on the open chat."""
        if self._why_not():
            return
        plan = self.parts.settings.plan()
        turns = chat_jobs.turns_of(
            self.parts.open_chat.path, plan.system_prompt, plan.keep_prompt, continued=True
        )
        self._request_id = self.begin(plan, turns)

    @Slot()
    def stop(self) -> None:
        """Stop it; nothing has changed then."""
        if self._request_id:
            self.parts.client.cancel(self._request_id)

    def is_ours(self, request_id: str) -> bool:
        """Whether an event belongs to the task that runs."""
        return bool(self._request_id) and request_id == self._request_id

    def tell(self, sentence: str) -> None:
        """Show how far it is, with a button that stops it."""
        self.parts.messages.show_progress(self.bar, sentence, self.stop)

    def end(self) -> None:
        """Take the line of progress away."""
        self._request_id = ""
        self.parts.messages.clear(self.bar)

    def _why_not(self) -> str:
        if self.parts.models.state is not ModelState.READY:
            return self.tr("No model is loaded; choose one at the top first.")
        if not self.parts.open_chat.path:
            return self.tr("This chat is empty; send a message first.")
        if self._request_id or self.parts.replies.is_busy(self.parts.open_chat.chat_id):
            return self.tr("The model is busy; wait until it is done, or stop it.")
        return ""

    @Slot(object)
    def _on_request_stopped(self, event: RequestStopped) -> None:
        if self.is_ours(event.request_id):
            self.end()

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        if self.is_ours(event.request_id):
            self.end()
            self.problem.emit(event.message)
