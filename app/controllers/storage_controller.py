"""Opening the stored chats, and what is said when they cannot be saved or were deleted."""

from PySide6.QtCore import QObject, Slot

from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.message_bar import MessageBar
from app.controllers.sidebar_controller import SidebarController
from app.controllers.turns_controller import TurnsController
from app.settings.store import SettingsStore
from app.storage.store import ChatStore
from app.storage.types import Deletion

_LAST_CHAT = "window.last_chat"


class StorageController(QObject):
    """Brings the chats of the last time back, and tells what the store has to say."""

    def __init__(
        self,
        desk: ChatDesk,
        settings: SettingsStore,
        chats: ChatController,
        sidebar: SidebarController,
        turns: TurnsController,
        messages: MessageBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._settings = settings
        self._chats = chats
        self._sidebar = sidebar
        self._turns = turns
        self._messages = messages
        desk.degraded_changed.connect(self._on_degraded_changed)
        sidebar.chat_deleted.connect(self._on_chat_deleted)
        turns.message_deleted.connect(self._on_message_deleted)

    def open(self) -> None:
        """Open the store, list its chats and show the one that was open last."""

        def opened(notice: str) -> None:
            if notice:
                self._messages.show_warning("notice", notice)
            self._sidebar.refresh()
            last = self._settings.get(_LAST_CHAT)
            if last:
                self._chats.open_last(last)

        self._desk.run(_open, opened)

    def remember(self, chat_id: str) -> None:
        """Note which chat to show at the next start."""
        self._settings.set(_LAST_CHAT, chat_id)

    @Slot(str)
    def note_opened(self, chat_id: str) -> None:
        """Remember a chat as soon as it is on screen; a new one has nothing to come back to."""
        if chat_id:
            self.remember(chat_id)

    @Slot(str)
    def _on_degraded_changed(self, sentence: str) -> None:
        if sentence:
            self._messages.show_warning(
                "storage", sentence, self.tr("Try to save again"), self._save_again
            )
        else:
            self._messages.clear("storage")
            self._messages.show_news(self.tr("Your chats are saved again."))

    def _save_again(self) -> None:
        def tried(saved: bool) -> None:
            if not saved:
                self._desk.run(lambda store: store.degraded, self._on_degraded_changed)

        self._desk.run(lambda store: store.save_again(), tried)

    @Slot(object, str)
    def _on_chat_deleted(self, deletion: Deletion, title: str) -> None:
        sentence = self.tr("“{title}” was deleted.").format(title=title or self.tr("New Chat"))
        self._messages.offer_undo(sentence, lambda: self._sidebar.restore_chat(deletion))

    @Slot(object)
    def _on_message_deleted(self, deletion: Deletion) -> None:
        self._messages.offer_undo(
            self.tr("The message was deleted."), lambda: self._turns.restore(deletion)
        )


def _open(store: ChatStore) -> str:
    store.open()
    return store.notice
