"""The commands of the menu bar."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox

from app.controllers.appearance_controller import AppearanceController
from app.controllers.chat_controller import ChatController
from app.controllers.composer_controller import ComposerController
from app.controllers.message_bar import MessageBar
from app.controllers.open_chat import OpenChat
from app.controllers.sidebar_controller import SidebarController
from app.controllers.transfer_controller import TransferController
from app.controllers.turns_controller import TurnsController
from app.release import version
from app.widgets.main_window import MainWindow
from app.widgets.menus import Menus
from velox_core import paths


def connect(*pairs: tuple[QAction, Callable[[], object]]) -> None:
    """Have each action run its command."""
    for action, command in pairs:
        action.triggered.connect(lambda _checked=False, run=command: run())


class CommandController(QObject):
    """Connects each action to what does it.

    Signals:
        quit_requested: the application is to end.
    """

    quit_requested = Signal()

    def __init__(
        self,
        window: MainWindow,
        menus: Menus,
        open_chat: OpenChat,
        chats: ChatController,
        turns: TurnsController,
        sidebar: SidebarController,
        composer: ComposerController,
        transfer: TransferController,
        appearance: AppearanceController,
        messages: MessageBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._open = open_chat
        self._sidebar = sidebar
        self._transfer = transfer
        connect(
            (menus.new_chat, chats.new_chat),
            (menus.stop, chats.stop),
            (menus.regenerate, turns.regenerate_last),
            (menus.continue_reply, turns.continue_last),
            (menus.copy_reply, turns.copy_last),
            (menus.undo_delete, messages.undo),
            (menus.attach, composer.choose_files),
            (menus.import_chats, transfer.import_chats),
            (menus.export_chat, transfer.export_open),
            (menus.export_all, transfer.export_all),
            (menus.zoom_in, appearance.enlarge),
            (menus.zoom_out, appearance.shrink),
            (menus.zoom_reset, appearance.reset_size),
            (menus.previous_chat, lambda: sidebar.step(-1)),
            (menus.next_chat, lambda: sidebar.step(1)),
        )
        self._connect_window(menus)
        messages.undo_changed.connect(menus.undo_delete.setEnabled)
        window.toolbar.new_chat_requested.connect(chats.new_chat)
        window.sidebar.export_requested.connect(self._on_export_requested)

    def _connect_window(self, menus: Menus) -> None:
        window = self._window
        connect(
            (menus.close_window, self._on_close_window),
            (menus.quit, self.quit_requested.emit),
            (menus.find, window.find_bar.open_bar),
            (menus.find_next, lambda: window.find_bar.find_next(True)),
            (menus.find_previous, lambda: window.find_bar.find_next(False)),
            (menus.search, self._on_search),
            (menus.toggle_sidebar, window.toggle_sidebar),
            (menus.toggle_panel, window.toggle_panel),
            (menus.full_screen, self._on_full_screen),
            (menus.rename, window.sidebar.rename_current),
            (menus.delete_chat, self._on_delete_chat),
            (menus.minimize, window.showMinimized),
            (menus.zoom_window, self._on_zoom_window),
            (menus.show_log, self._on_show_log),
            (menus.about, self._on_about),
        )

    @Slot()
    def _on_close_window(self) -> None:
        # On macOS the menu bar belongs to all windows: the settings may be in front.
        (QApplication.activeWindow() or self._window).close()

    @Slot()
    def _on_search(self) -> None:
        if self._window.sidebar.isHidden():
            self._window.toggle_sidebar()
        self._window.sidebar.focus_search()

    @Slot()
    def _on_full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    @Slot()
    def _on_zoom_window(self) -> None:
        if self._window.isMaximized():
            self._window.showNormal()
        else:
            self._window.showMaximized()

    @Slot()
    def _on_delete_chat(self) -> None:
        if self._open.chat_id:
            self._sidebar.delete_chat(self._open.chat_id)

    @Slot(str)
    def _on_export_requested(self, chat_id: str) -> None:
        self._transfer.export_chat(chat_id, self._sidebar.title_of(chat_id))

    @Slot()
    def _on_show_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(paths.log_dir())))

    @Slot()
    def _on_about(self) -> None:
        QMessageBox.about(
            self._window,
            self.tr("About Velox"),
            self.tr(
                "Velox {version} chats with language models on this computer, in the memory you "
                "choose. Nothing you write leaves it."
            ).format(version=version()),
        )
