"""Opening chats, beginning new ones, and sending messages."""

from PySide6.QtCore import QObject, Signal, Slot

from app.controllers import chat_jobs
from app.controllers.chat_desk import ChatDesk
from app.controllers.chat_jobs import OpenedChat, StartedReply
from app.controllers.chat_settings import ChatSettings, ReplyPlan
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.storage.types import MessageRecord


class ChatController(QObject):
    """Keeps the open chat, the store and the engine's requests together.

    Signals:
        chats_changed: a chat was made or its newest message changed; the list is out of date.
        send_failed: a message could not be saved; it carries the text, which must not be lost.
        problem: one plain sentence to show.
    """

    chats_changed = Signal()
    send_failed = Signal(str)
    problem = Signal(str)

    def __init__(
        self,
        desk: ChatDesk,
        open_chat: OpenChat,
        replies: Replies,
        settings: ChatSettings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._open = open_chat
        self._replies = replies
        self._settings = settings
        self._wanted = ""
        self._sending = False
        self.model_name = ""
        self.restores_last = False
        """Whether the last chat is being read, for the window to begin with."""
        replies.ended.connect(self._on_reply_ended)
        replies.saved.connect(self._on_reply_saved)

    def open_chat(self, chat_id: str) -> None:
        """Show a saved chat."""
        self._wanted, self.restores_last = chat_id, False
        self._desk.run(
            lambda store: chat_jobs.open_chat(store, chat_id), self._show_opened, self._open_failed
        )

    def open_last(self, chat_id: str) -> None:
        """Show the chat that was open last; when it is gone, a new one, without a word."""
        self._wanted, self.restores_last = chat_id, True
        self._desk.run(
            lambda store: chat_jobs.open_chat(store, chat_id),
            self._show_opened,
            lambda _sentence: self.new_chat(),
        )

    @Slot()
    def new_chat(self) -> None:
        """Show an empty chat; it is saved with its first message."""
        self._wanted, self.restores_last = "", False
        self._settings.open_chat("", {})
        self._open.show(None)

    def send(self, text: str) -> bool:
        """Save a message, then ask for the reply; returns False when nothing was sent."""
        if not text.strip() or self._sending or self._replies.is_busy(self._open.chat_id):
            return False
        self._sending = True
        chat_id, own, model = self._open.chat_id, self._settings.own, self.model_name
        plan = self._settings.plan()
        self._settings.flush()

        def begin(started: StartedReply) -> None:
            self._sending = False
            self.begin_reply(started, chat_id, plan)

        def failed(sentence: str) -> None:
            self._sending = False
            self.problem.emit(sentence)
            self.send_failed.emit(text)

        self._desk.run(
            lambda store: chat_jobs.send(store, chat_id, own, text, model), begin, failed
        )
        return True

    def begin_reply(self, started: StartedReply, was: str, plan: ReplyPlan) -> None:
        """Show a reply that was just saved, and ask for it.

        Args:
            started: What was saved.
            was: The chat that was open when it was asked for; empty for one not saved then. When
                another one is open by now, the reply is made all the same.
            plan: What it is made with.
        """
        if self._open.chat_id == was:
            if not was:
                self._wanted = started.chat.id
                self._settings.adopt(started.chat.id)
                self._open.adopt(started.chat)
            self._open.show_path(started.path)
        turns = chat_jobs.turns_of(
            started.path, plan.system_prompt, plan.keep_prompt, continued=False
        )
        self._replies.start(started.reply, turns, plan)
        self.chats_changed.emit()

    def continue_last(self) -> None:
        """Ask the engine to go on with the open chat's last message, a reply."""
        plan = self._settings.plan()
        turns = chat_jobs.turns_of(
            self._open.path, plan.system_prompt, plan.keep_prompt, continued=True
        )
        self._replies.start(self._open.path[-1], turns, plan)

    def plan(self) -> ReplyPlan:
        """What a reply in the open chat is made with."""
        return self._settings.plan()

    @Slot()
    def stop(self) -> None:
        """Stop the open chat's reply."""
        self._replies.stop(self._open.chat_id)

    def _show_opened(self, opened: OpenedChat) -> None:
        if self._wanted != opened.chat.id:
            return
        if any(r.state == "partial" and not self._replies.is_live(r.id) for r in opened.path):
            # The reply ended while the chat was read; its end is saved by now.
            self.open_chat(opened.chat.id)
            return
        self._settings.open_chat(opened.chat.id, opened.chat.settings)
        self._open.show(opened)
        self.restores_last = False

    def _open_failed(self, sentence: str) -> None:
        self.problem.emit(sentence)
        self.new_chat()
        self.chats_changed.emit()

    @Slot(str, object)
    def _on_reply_ended(self, _chat_id: str, record: MessageRecord) -> None:
        self._open.replace(record)

    @Slot(str)
    def _on_reply_saved(self, _chat_id: str) -> None:
        self.chats_changed.emit()
