"""Which commands of the menu bar have something to act on."""

from PySide6.QtCore import QObject, Slot

from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.widgets.menus import Menus


class MenuState(QObject):
    """Greys out the commands on the open chat that would do nothing now."""

    def __init__(
        self, menus: Menus, open_chat: OpenChat, replies: Replies, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._menus = menus
        self._open = open_chat
        self._replies = replies
        open_chat.opened.connect(self._on_changed)
        open_chat.first_saved.connect(self._on_changed)
        open_chat.path_changed.connect(self._on_changed)
        replies.busy_changed.connect(self._on_changed)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        menus, path = self._menus, self._open.path
        is_busy = self._replies.is_busy(self._open.chat_id)
        ends_with_reply = bool(path) and path[-1].role == "assistant"
        menus.stop.setEnabled(is_busy)
        menus.regenerate.setEnabled(bool(path))
        menus.continue_reply.setEnabled(ends_with_reply and not is_busy)
        menus.copy_reply.setEnabled(any(record.role == "assistant" for record in path))
        for action in (menus.find, menus.find_next, menus.find_previous):
            action.setEnabled(bool(path))
        for action in (menus.export_chat, menus.rename, menus.delete_chat):
            action.setEnabled(bool(self._open.chat_id))
