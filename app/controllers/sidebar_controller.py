"""The list of chats: kept up to date, searched, and what is done with a chat in it."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.controllers import chat_jobs
from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.models.chat_list import ChatListModel
from app.models.search_list import SearchListModel
from app.storage.search import words_of
from app.storage.types import ChatSummary, Deletion, MessageRecord, SearchHit
from app.widgets.sidebar import Sidebar
from app.widgets.transcript import TranscriptView

_SEARCH_DELAY_MS = 150


class SidebarController(QObject):
    """Wires the sidebar to the store.

    Signals:
        chat_deleted: it carries the :class:`Deletion` that brings it back, and the chat's title.
        listed: the list was read from the store; it carries the ids, first to last.
    """

    chat_deleted = Signal(object, str)
    listed = Signal(list)

    def __init__(
        self,
        sidebar: Sidebar,
        transcript: TranscriptView,
        desk: ChatDesk,
        open_chat: OpenChat,
        replies: Replies,
        chats: ChatController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._sidebar = sidebar
        self._transcript = transcript
        self._desk = desk
        self._open = open_chat
        self._replies = replies
        self._chats = chats
        self._model = ChatListModel(self)
        self._hits = SearchListModel(self)
        self._summaries: tuple[ChatSummary, ...] = ()
        self._query = ""
        self._found_message = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_DELAY_MS)
        self._timer.timeout.connect(self._search)
        self._show_list()
        sidebar.chat_selected.connect(self._on_chat_selected)
        sidebar.search_changed.connect(self._on_search_changed)
        sidebar.pin_requested.connect(self._on_pin_requested)
        sidebar.delete_requested.connect(self.delete_chat)
        self._model.rename_requested.connect(self._on_rename_requested)
        chats.chats_changed.connect(self.refresh)
        open_chat.opened.connect(self._on_opened)

    @Slot()
    def refresh(self) -> None:
        """Read the list from the store."""
        self._desk.run(lambda store: store.list_chats(), self._show_chats)

    @Slot(str)
    def delete_chat(self, chat_id: str) -> None:
        """Take a chat away; the signal tells how to bring it back."""
        title = self.title_of(chat_id)
        # Its reply is saved as far as it has come, so that an undo brings that back too.
        self._replies.stop_chat(chat_id)

        def deleted(deletion: Deletion) -> None:
            self._replies.forget_chat(chat_id)
            self.chat_deleted.emit(deletion, title)
            if self._open.chat_id == chat_id:
                self._open_neighbour(chat_id)
            self.refresh()

        self._desk.run(lambda store: store.delete_chat(chat_id), deleted)

    def restore_chat(self, deletion: Deletion) -> None:
        """Bring a deleted chat back and open it."""

        def restored(_none: None) -> None:
            self._chats.open_chat(deletion.chat_id)
            self.refresh()

        self._desk.run(lambda store: store.restore(deletion), restored)

    def title_of(self, chat_id: str) -> str:
        """A chat's title as the list shows it; empty when it is not there."""
        return next((chat.title for chat in self._summaries if chat.id == chat_id), "")

    def step(self, by: int) -> None:
        """Open the chat ``by`` places below the open one."""
        ids = [chat.id for chat in self._summaries]
        if not ids:
            return
        if self._open.chat_id not in ids:
            self._chats.open_chat(ids[0])
            return
        at = ids.index(self._open.chat_id) + by
        if 0 <= at < len(ids):
            self._chats.open_chat(ids[at])

    def _open_neighbour(self, chat_id: str) -> None:
        ids = [chat.id for chat in self._summaries]
        at = ids.index(chat_id) if chat_id in ids else len(ids)
        beside = ids[at + 1 : at + 2] or ids[max(at - 1, 0) : at]
        if beside:
            self._chats.open_chat(beside[0])
        else:
            self._chats.new_chat()

    def _show_chats(self, summaries: Sequence[ChatSummary]) -> None:
        self._summaries = tuple(summaries)
        self._model.set_chats(summaries)
        for chat in summaries:
            if chat.id == self._open.chat_id:
                self._open.rename(chat.title)
        self._mark_open()
        self.listed.emit([chat.id for chat in summaries])

    def _show_list(self) -> None:
        self._sidebar.set_model(self._model, self.tr("Your chats will be listed here"))

    def _mark_open(self) -> None:
        if not self._query:
            self._sidebar.select(self._model.index_of(self._open.chat_id))

    @Slot(str)
    def _on_opened(self, _chat_id: str) -> None:
        self._mark_open()
        if self._found_message:
            self._open_found(self._found_message)

    @Slot(str, str)
    def _on_chat_selected(self, chat_id: str, message_id: str) -> None:
        self._found_message = message_id
        if chat_id != self._open.chat_id:
            self._chats.open_chat(chat_id)
        elif message_id:
            self._open_found(message_id)

    def _open_found(self, message_id: str) -> None:
        self._found_message = ""
        chat_id = self._open.chat_id
        if self._open.record(message_id) is not None:
            self._scroll_to(message_id)
            return

        def show(path: tuple[MessageRecord, ...]) -> None:
            if self._open.chat_id == chat_id:
                self._open.show_path(path)
                self._scroll_to(message_id)

        # It belongs to a version that the chat does not show now.
        self._replies.stop_chat(chat_id)
        self._desk.run(lambda store: chat_jobs.show_found(store, chat_id, message_id), show)

    def _scroll_to(self, message_id: str) -> None:
        record, words = self._open.record(message_id), words_of(self._query)
        text = record.content.lower() if record else ""
        start = text.find(words[0].lower()) if words else -1
        if start >= 0:
            self._transcript.scroll_to(message_id, start, start + len(words[0]))
        else:
            self._transcript.scroll_to(message_id)

    @Slot(str)
    def _on_search_changed(self, query: str) -> None:
        self._query = query.strip()
        if self._query:
            self._timer.start()
            return
        self._timer.stop()
        self._show_list()
        self._mark_open()

    @Slot()
    def _search(self) -> None:
        query = self._query

        def show(hits: Sequence[SearchHit]) -> None:
            if query == self._query:
                self._hits.set_hits(hits)
                self._sidebar.set_model(self._hits, self.tr("Nothing found"))

        self._desk.run(lambda store: store.search(query), show)

    @Slot(str, bool)
    def _on_pin_requested(self, chat_id: str, pinned: bool) -> None:
        self._desk.run(
            lambda store: store.set_chat_pinned(chat_id, pinned), lambda _none: self.refresh()
        )

    @Slot(str, str)
    def _on_rename_requested(self, chat_id: str, title: str) -> None:
        self._desk.run(
            lambda store: store.rename_chat(chat_id, title), lambda _none: self.refresh()
        )
