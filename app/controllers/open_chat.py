"""The chat on screen: its record, the messages it shows, and how they get into the transcript."""

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from app.controllers.chat_jobs import OpenedChat
from app.controllers.replies import Replies
from app.models.message_view import MessageView
from app.storage.types import ChatRecord, MessageRecord
from app.widgets.transcript import TranscriptView

# More new messages than this at once are cheaper as a whole new list.
_MOST_APPENDED = 20


class OpenChat(QObject):
    """Holds the one chat that the window shows.

    Signals:
        opened: another chat (its id, empty for a new one) is on screen.
        first_saved: the chat on screen was new and has this id now.
        renamed: the open chat has another title now.
        path_changed: its messages changed.
    """

    opened = Signal(str)
    first_saved = Signal(str)
    renamed = Signal(str)
    path_changed = Signal()

    def __init__(
        self, transcript: TranscriptView, replies: Replies, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._replies = replies
        self._shown: list[MessageView] = []
        self.chat: ChatRecord | None = None
        self.path: list[MessageRecord] = []

    @property
    def chat_id(self) -> str:
        """The open chat; empty while it is not saved."""
        return self.chat.id if self.chat else ""

    @property
    def title(self) -> str:
        """Its title; empty while there is none."""
        return self.chat.title if self.chat else ""

    def show(self, opened: OpenedChat | None) -> None:
        """Show another chat; None is a new, empty one."""
        self.chat = opened.chat if opened else None
        self.path = list(opened.path) if opened else []
        self._fill()
        self.opened.emit(self.chat_id)
        self.path_changed.emit()

    def adopt(self, chat: ChatRecord) -> None:
        """The record of the open chat is new: it was just saved, renamed or given a title."""
        renamed, is_new = chat.title != self.title, self.chat is None
        self.chat = chat
        if is_new:
            self.first_saved.emit(chat.id)
        if renamed:
            self.renamed.emit(chat.title)

    def rename(self, title: str) -> None:
        """The open chat has another title now."""
        if self.chat is not None and title != self.title:
            self.adopt(dataclasses.replace(self.chat, title=title))

    def show_path(self, path: Sequence[MessageRecord]) -> None:
        """The open chat shows these messages now; only what differs is drawn anew."""
        self.path = list(path)
        new = self._views()
        kept = {view.id for view in new}
        old = [view for view in self._shown if view.id in kept]
        appended = new[len(old) :]
        in_place = [view.id for view in old] == [view.id for view in new[: len(old)]]
        if not in_place or len(appended) > _MOST_APPENDED:
            self._fill()
        else:
            for view in self._shown:
                if view.id not in kept:
                    self._transcript.remove_message(view.id)
            for before, view in zip(old, new, strict=False):
                if view != before and not view.busy:
                    self._transcript.update_message(view)
            for view in appended:
                self._transcript.append_message(view)
            self._shown = new
        self.path_changed.emit()

    def replace(self, record: MessageRecord) -> None:
        """One message has another state now, which the transcript shows already."""
        for place, old in enumerate(self.path):
            if old.id == record.id:
                self.path[place] = record
                self._shown[place] = self._replies.view_of(record)
                self.path_changed.emit()

    def refresh(self) -> None:
        """Draw all messages again, in place."""
        self._fill()

    def record(self, message_id: str) -> MessageRecord | None:
        """A message of the open chat."""
        return next((record for record in self.path if record.id == message_id), None)

    def _views(self) -> list[MessageView]:
        return [self._replies.view_of(record) for record in self.path]

    def _fill(self) -> None:
        self._shown = self._views()
        self._transcript.set_messages(self._shown)
        self._replies.resume_views({view.id for view in self._shown})
