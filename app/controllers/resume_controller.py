"""Going on with a chat that is opened again: its caches are fetched while the person reads it."""

from PySide6.QtCore import QObject, Slot

from app.controllers import chat_jobs
from app.controllers.chat_settings import ChatSettings
from app.controllers.memory_controller import MemoryController
from app.controllers.model_controller import ModelController, ModelState
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.workers.engine_client import EngineClient
from velox_core.engine.task_events import ConversationResumed


class ResumeController(QObject):
    """Asks for the open chat's caches, so that figures, shading and sliders work before a reply."""

    def __init__(
        self,
        client: EngineClient,
        open_chat: OpenChat,
        replies: Replies,
        settings: ChatSettings,
        models: ModelController,
        memory: MemoryController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._open = open_chat
        self._replies = replies
        self._settings = settings
        self._models = models
        self._memory = memory
        self._request_id = ""
        open_chat.opened.connect(self._resume)
        models.state_changed.connect(self._resume)
        client.conversation_resumed.connect(self._on_conversation_resumed)

    @Slot()
    def _resume(self) -> None:
        # A chat that was only passed by need not be fetched.
        self._client.cancel(self._request_id)
        self._request_id = ""
        if self._models.state is not ModelState.READY or not self._open.path:
            return
        if self._replies.is_busy(self._open.chat_id):
            return
        plan = self._settings.plan()
        turns = chat_jobs.turns_of(
            self._open.path, plan.system_prompt, plan.keep_prompt, continued=True
        )
        self._request_id = self._client.resume(self._open.chat_id, turns, plan.cache)

    @Slot(object)
    def _on_conversation_resumed(self, event: ConversationResumed) -> None:
        if event.stats is not None and not self._replies.is_busy(event.chat_id):
            self._memory.show_measured(event.chat_id, event.stats)
