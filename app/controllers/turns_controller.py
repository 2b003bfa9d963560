"""What is done with single messages: again, on, otherwise, away, back, copied, pinned."""

import dataclasses

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.controllers import chat_jobs
from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.chat_jobs import Removed
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.storage.types import Deletion, MessageRecord
from app.widgets.transcript import TranscriptView


class TurnsController(QObject):
    """Answers what the transcript asks for. A reply in the way is ended first.

    Signals:
        message_deleted: it carries the :class:`Deletion` that brings it back.
    """

    message_deleted = Signal(object)

    def __init__(
        self,
        transcript: TranscriptView,
        desk: ChatDesk,
        open_chat: OpenChat,
        replies: Replies,
        chats: ChatController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._desk = desk
        self._open = open_chat
        self._replies = replies
        self._chats = chats
        transcript.copy_requested.connect(self._on_copy_requested)
        transcript.regenerate_requested.connect(self.regenerate)
        transcript.continue_requested.connect(self.continue_reply)
        transcript.edit_requested.connect(self._on_edit_requested)
        transcript.delete_requested.connect(self._on_delete_requested)
        transcript.version_requested.connect(self._on_version_requested)
        transcript.pin_toggled.connect(self.set_pinned)
        transcript.link_activated.connect(self._on_link_activated)

    @Slot(str)
    def regenerate(self, message_id: str) -> None:
        """Generate another version of a reply, or the missing reply to a message."""
        record = self._open.record(message_id)
        if record is None:
            return
        chat_id, model, plan = record.chat_id, self._chats.model_name, self._chats.plan()
        self._replies.stop_chat(chat_id)
        if record.role == "assistant":
            self._desk.run(
                lambda store: chat_jobs.regenerate(store, message_id, model),
                lambda started: self._chats.begin_reply(started, chat_id, plan),
            )
        elif record is self._open.path[-1]:
            self._desk.run(
                lambda store: chat_jobs.answer_last(store, chat_id, model),
                lambda started: self._chats.begin_reply(started, chat_id, plan),
            )

    @Slot(str)
    def continue_reply(self, message_id: str) -> None:
        """Go on with a reply that was cut or stopped; one without text is generated anew."""
        record = self._open.record(message_id)
        if record is None or record.role != "assistant" or self._replies.is_live(message_id):
            return
        if not record.content.strip():
            self.regenerate(message_id)
        elif record is self._open.path[-1]:
            self._replies.stop_chat(record.chat_id)
            self._chats.continue_last()

    def regenerate_last(self) -> None:
        """Generate another version of the last reply."""
        if self._open.path:
            self.regenerate(self._open.path[-1].id)

    def continue_last(self) -> None:
        """Go on with the last reply."""
        if self._open.path:
            self.continue_reply(self._open.path[-1].id)

    def copy_last(self) -> None:
        """Copy the last reply."""
        for record in reversed(self._open.path):
            if record.role == "assistant":
                self._on_copy_requested(record.id)
                return

    def restore(self, deletion: Deletion) -> None:
        """Bring a deleted message back."""
        self._desk.run(
            lambda store: chat_jobs.restore_message(store, deletion),
            lambda path: self._show(deletion.chat_id, path),
        )

    @Slot(str, bool)
    def set_pinned(self, message_id: str, pinned: bool) -> None:
        """Pin or unpin a message of the open chat."""
        record = self._open.record(message_id)
        if record is None:
            return
        self._desk.run(lambda store: store.set_message_pinned(message_id, pinned))
        changed = dataclasses.replace(record, pinned=pinned)
        self._open.replace(changed)
        self._transcript.update_message(self._replies.view_of(changed))

    @Slot(str)
    def _on_copy_requested(self, message_id: str) -> None:
        view = self._transcript.message(message_id)
        if view is not None:
            QGuiApplication.clipboard().setText(view.text)

    @Slot(str)
    def _on_link_activated(self, address: str) -> None:
        QDesktopServices.openUrl(QUrl(address))

    @Slot(str, str)
    def _on_edit_requested(self, message_id: str, text: str) -> None:
        record = self._open.record(message_id)
        if record is None or not text.strip() or text == record.content:
            return
        chat_id, model, plan = record.chat_id, self._chats.model_name, self._chats.plan()
        self._replies.stop_chat(chat_id)
        if record.role == "assistant":
            self._desk.run(
                lambda store: chat_jobs.rewrite_reply(store, message_id, text),
                lambda path: self._show(chat_id, path),
            )
        else:
            self._desk.run(
                lambda store: chat_jobs.edit(store, message_id, text, model),
                lambda started: self._chats.begin_reply(started, chat_id, plan),
            )

    @Slot(str)
    def _on_delete_requested(self, message_id: str) -> None:
        if self._open.record(message_id) is None:
            return
        self._replies.stop_message(message_id)

        def show(removed: Removed) -> None:
            self._show(removed.deletion.chat_id, removed.path)
            self.message_deleted.emit(removed.deletion)

        self._desk.run(lambda store: chat_jobs.delete_message(store, message_id), show)

    @Slot(str, int)
    def _on_version_requested(self, message_id: str, step: int) -> None:
        record = self._open.record(message_id)
        if record is None:
            return
        self._replies.stop_chat(record.chat_id)
        self._desk.run(
            lambda store: chat_jobs.show_version(store, message_id, step),
            lambda path: self._show(record.chat_id, path),
        )

    def _show(self, chat_id: str, path: tuple[MessageRecord, ...]) -> None:
        if self._open.chat_id == chat_id:
            self._open.show_path(path)
        self._chats.chats_changed.emit()
