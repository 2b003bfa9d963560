"""The composition root: builds every part of the window and wires them."""

import logging
import os
import sys

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.console import call_on_interrupt
from app.controllers.appearance_controller import AppearanceController
from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.chat_settings import ChatSettings
from app.controllers.command_controller import CommandController
from app.controllers.composer_controller import ComposerController
from app.controllers.error_guard import ErrorGuard
from app.controllers.find_controller import FindController
from app.controllers.memory_controller import MemoryController
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController
from app.controllers.models_controller import ModelsController
from app.controllers.open_chat import OpenChat
from app.controllers.options_controller import OptionsController
from app.controllers.pin_controller import PinController
from app.controllers.preferences_controller import PreferencesController
from app.controllers.replies import Replies
from app.controllers.settings_controller import SettingsController
from app.controllers.shell_controller import ShellController
from app.controllers.sidebar_controller import SidebarController
from app.controllers.start_controller import StartController
from app.controllers.storage_controller import StorageController
from app.controllers.token_counter import TokenCounter
from app.controllers.transfer_controller import TransferController
from app.controllers.turns_controller import TurnsController
from app.controllers.window_state import WindowState
from app.log import set_up_logging
from app.platform_macos import make_platform
from app.settings.prompts import PromptLibrary
from app.settings.store import SettingsStore
from app.single_instance import SingleInstance
from app.storage.store import ChatStore
from app.storage.thread import StorageThread
from app.widgets import theme
from app.widgets.main_window import MainWindow
from app.widgets.menus import Menus
from app.workers.engine_client import EngineClient
from app.workers.engine_worker import EngineFactory, make_engine
from velox_core import paths

logger = logging.getLogger(__name__)

# Quitting takes at most these together.
_STORE_TIMEOUT_S = 0.8
_ENGINE_TIMEOUT_S = 1.2


class Velox(QObject):
    """The running application: its window, its controllers, and how it ends."""

    def __init__(self, app: QApplication, factory: EngineFactory = make_engine) -> None:
        """Build everything; nothing is read or loaded before :meth:`start`."""
        super().__init__()
        self._app = app
        self._closed = False
        self.guard = ErrorGuard(self)
        self.settings = SettingsStore(paths.config_dir() / "settings.json")
        self.appearance = AppearanceController(app, self.settings, self)
        store = ChatStore(paths.data_dir() / "chats.db")
        self.desk = ChatDesk(store, StorageThread(), self)
        self.client = EngineClient(factory, self)
        self.window = MainWindow()
        self.menus = Menus(self.window)
        self.window_state = WindowState(self.window, self.settings, self)
        self._build_chat_controllers()
        self._build_window_controllers()
        self._connect()

    def start(self) -> None:
        """Show the window; chats and model come right after it."""
        self.window.show()
        QTimer.singleShot(0, self._begin)

    @Slot()
    def quit(self) -> None:
        """End the application, whatever it is doing."""
        if self.close():
            # Not QApplication.quit: it asks the window first, which never closes by itself.
            self._app.exit(0)
            return
        # The engine is inside a call that cannot be interrupted; everything is saved by now.
        logging.shutdown()
        os._exit(0)

    def close(self) -> bool:
        """Save everything and end all threads; returns whether they all ended."""
        if self._closed:
            return True
        self._closed = True
        self.composer.save_draft()
        self.chat_settings.flush()
        self.window_state.save()
        self.storage.remember(self.open_chat.chat_id)
        self.replies.stop_all()
        self.models.close()
        self.settings_window.close()
        self.models_window.close()
        self.settings.flush()
        self.window.hide()
        self.start_page.close()
        self.counter.close()
        saved = self.desk.close(_STORE_TIMEOUT_S)
        ended = self.client.shutdown(_ENGINE_TIMEOUT_S)
        self.guard.release()
        return saved and ended

    def _build_chat_controllers(self) -> None:
        window, desk = self.window, self.desk
        self.messages = MessageBar(window.banners, self)
        self.counter = TokenCounter(self)
        self.models = ModelController(self.client, self.settings, self)
        self.chat_settings = ChatSettings(self.settings, desk, self)
        self.replies = Replies(self.client, desk, window.transcript, self)
        self.open_chat = OpenChat(window.transcript, self.replies, self)
        self.chats = ChatController(desk, self.open_chat, self.replies, self.chat_settings, self)
        self.turns = TurnsController(
            window.transcript, desk, self.open_chat, self.replies, self.chats, self
        )
        self.sidebar = SidebarController(
            window.sidebar, window.transcript, desk, self.open_chat, self.replies, self.chats, self
        )
        self.composer = ComposerController(
            window.composer, desk, self.open_chat, self.replies, self.chats, self.counter, self
        )
        self.pins = PinController(self.client, self.open_chat, self.chat_settings, self)
        self.memory = MemoryController(
            window.panel, self.client, self.open_chat, self.replies, self.chat_settings, self
        )

        self.options = OptionsController(window.panel, self.chat_settings, self._prompts(), self)

    def _prompts(self) -> PromptLibrary:
        built_in = paths.resources_dir() / "prompts.json"
        return PromptLibrary(built_in, paths.config_dir() / "prompts.json")

    def _build_window_controllers(self) -> None:
        window, desk = self.window, self.desk
        self.start_page = StartController(window, self.models, self.open_chat, self)
        self.settings_window = SettingsController(self.settings, self)
        self.models_window = ModelsController(
            window.toolbar, self.models, self.settings, self.messages, self
        )
        self.preferences = PreferencesController(
            self.settings, window.composer, self.open_chat, self.replies, self
        )
        self.find = FindController(window.find_bar, window.transcript, self.open_chat, self)
        self.transfer = TransferController(window, desk, self.open_chat, self.chats, self)
        self.commands = CommandController(
            window,
            self.menus,
            self.open_chat,
            self.chats,
            self.turns,
            self.sidebar,
            self.composer,
            self.transfer,
            self.appearance,
            self.messages,
            self,
        )
        self.storage = StorageController(
            desk, self.settings, self.chats, self.sidebar, self.turns, self.messages, self
        )
        self.shell = ShellController(
            window,
            self.client,
            make_platform(),
            self.messages,
            self.models,
            self.open_chat,
            self.replies,
            self.composer,
            self.memory,
            self.counter,
            self,
        )

    def _connect(self) -> None:
        show_problem = self.messages.show_problem
        for problem in (
            self.guard.problem,
            self.desk.failed,
            self.chats.problem,
            self.composer.problem,
            self.models.problem,
            self.options.problem,
            self.start_page.problem,
            self.transfer.problem,
        ):
            problem.connect(show_problem)
        self.transfer.done.connect(self.messages.show_news)
        self.menus.settings.triggered.connect(self.settings_window.open)
        self.menus.models.triggered.connect(self.models_window.open)
        self.commands.quit_requested.connect(self.quit)
        self.shell.quit_requested.connect(self.quit)

    @Slot()
    def _begin(self) -> None:
        self.storage.open()
        self.models.load_at_start()
        self.start_page.refresh()
        self.composer.load_prompts()


class _Application(QApplication):
    """Tells when the system wants it to end: the Dock's Quit, or a log-out.

    Signals:
        quit_wished: it should end.
    """

    quit_wished = Signal()

    def event(self, event: QEvent) -> bool:
        """Take over quitting; Qt would ask the window, whose closing means something else."""
        if event.type() == QEvent.Type.Quit:
            self.quit_wished.emit()
            return True
        return super().event(event)


def run() -> int:
    """Show the window and stay until it is quit; the exit status."""
    set_up_logging()
    app = _Application(sys.argv[:1])
    app.setApplicationName(paths.APP_NAME)
    app.setApplicationDisplayName(paths.APP_NAME)
    app.setQuitOnLastWindowClosed(False)
    instance = SingleInstance(paths.data_dir())
    if not instance.acquire():
        return 0
    theme.apply_theme(app)
    velox = Velox(app)
    instance.activation_requested.connect(velox.shell.activate)
    app.quit_wished.connect(velox.quit)
    app.aboutToQuit.connect(velox.close)
    timer = call_on_interrupt(velox.quit)
    velox.start()
    try:
        return app.exec()
    finally:
        timer.stop()
        instance.release()
