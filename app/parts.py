"""Every part of the running application, built and wired."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from app.controllers.appearance_controller import AppearanceController
from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.chat_settings import ChatSettings
from app.controllers.command_controller import CommandController
from app.controllers.compare_controller import CompareController
from app.controllers.composer_controller import ComposerController
from app.controllers.edit_controller import EditController
from app.controllers.error_guard import ErrorGuard
from app.controllers.find_controller import FindController
from app.controllers.help_controller import HelpController
from app.controllers.long_task import TaskParts
from app.controllers.measured_speed import MeasuredSpeed
from app.controllers.memory_controller import MemoryController
from app.controllers.menu_state import MenuState
from app.controllers.message_bar import MessageBar
from app.controllers.model_controller import ModelController
from app.controllers.models_controller import ModelsController
from app.controllers.open_chat import OpenChat
from app.controllers.options_controller import OptionsController
from app.controllers.pin_controller import PinController
from app.controllers.preferences_controller import PreferencesController
from app.controllers.process_memory import ProcessMemory
from app.controllers.quality_controller import QualityController
from app.controllers.remembered_controller import RememberedController
from app.controllers.replies import Replies
from app.controllers.reread_controller import RereadController
from app.controllers.resume_controller import ResumeController
from app.controllers.settings_controller import SettingsController
from app.controllers.shell_controller import ShellController
from app.controllers.sidebar_controller import SidebarController
from app.controllers.start_controller import StartController
from app.controllers.storage_controller import StorageController
from app.controllers.timeline_controller import TimelineController
from app.controllers.token_counter import TokenCounter
from app.controllers.transfer_controller import TransferController
from app.controllers.turns_controller import TurnsController
from app.controllers.update_controller import UpdateController
from app.controllers.window_state import WindowState
from app.platform_macos import make_platform
from app.settings.prompts import PromptLibrary
from app.settings.store import SettingsStore
from app.storage.store import ChatStore
from app.storage.thread import StorageThread
from app.widgets.main_window import MainWindow
from app.widgets.menus import Menus
from app.workers.engine_client import EngineClient
from app.workers.engine_worker import EngineFactory, make_engine
from velox_core import paths


class Parts(QObject):
    """Builds the window, the store, the engine's client and the controllers between them."""

    def __init__(self, app: QApplication, factory: EngineFactory = make_engine) -> None:
        """Build everything; nothing is read or loaded before :meth:`start`."""
        super().__init__()
        self.guard = ErrorGuard(self)
        self.settings = SettingsStore(paths.config_dir() / "settings.json")
        self.appearance = AppearanceController(app, self.settings, self)
        store = ChatStore(paths.data_dir() / "chats.db")
        self.desk = ChatDesk(store, StorageThread(), self)
        self.client = EngineClient(factory, self)
        self.window = MainWindow()
        self.menus = Menus(self.window)
        self.edit = EditController(self.menus, self)
        self.window_state = WindowState(self.window, self.settings, self)
        self._build_chat_controllers()
        self._build_window_controllers()
        self._build_tasks()
        self._connect()

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
            window.composer,
            desk,
            self.open_chat,
            self.replies,
            self.chats,
            self.counter,
            self.settings,
            self,
        )
        self.pins = PinController(self.client, self.open_chat, self.chat_settings, self.turns, self)
        self.memory = MemoryController(
            window.panel, self.client, self.open_chat, self.replies, self.chat_settings, self
        )
        self.remembered = RememberedController(
            window.panel,
            window.transcript,
            self.menus.show_remembered,
            self.client,
            self.open_chat,
            self.memory,
            self.settings,
            self,
        )
        self.resume = ResumeController(
            self.client,
            self.open_chat,
            self.replies,
            self.chat_settings,
            self.models,
            self.memory,
            self,
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
            self.settings, window.composer, window.transcript, self.open_chat, self.replies, self
        )
        self.help = HelpController(paths.resources_dir() / "help.md", self)
        self.updates = UpdateController(self)
        self.find = FindController(window.find_bar, window.transcript, self.open_chat, self)
        self.transfer = TransferController(window, desk, self.open_chat, self.chats, self)
        self.process_memory = ProcessMemory(window.panel, self.memory, self.models, self)
        self.timeline = TimelineController(window.panel.timeline, self.open_chat, self)
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
        self.menu_state = MenuState(self.menus, self.open_chat, self.replies, self)
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

    def _build_tasks(self) -> None:
        """What takes the engine longer than a reply and is asked for from the menu."""
        parts = TaskParts(
            self.window,
            self.client,
            self.open_chat,
            self.replies,
            self.chat_settings,
            self.models,
            self.memory,
            MeasuredSpeed(self.client, self),
            self.messages,
        )
        self.reread = RereadController(parts, self)
        self.quality = QualityController(parts, self)
        self.compare = CompareController(
            self.client, self.open_chat, self.chat_settings, self.models, self
        )

    def _connect(self) -> None:
        show_problem = self.messages.show_problem
        for problem in (
            self.guard.problem,
            self.desk.failed,
            self.chats.problem,
            self.composer.problem,
            self.models.problem,
            self.memory.problem,
            self.pins.problem,
            self.options.problem,
            self.help.problem,
            self.reread.problem,
            self.quality.problem,
            self.start_page.problem,
            self.transfer.problem,
            self.timeline.problem,
            self.updates.problem,
        ):
            problem.connect(show_problem)
        self.models.state_changed.connect(self._on_model_changed)
        self.transfer.done.connect(self.messages.show_news)
        self.timeline.done.connect(self.messages.show_news)
        self.updates.told.connect(self.messages.show_news)
        # At once, for the end may be a crash.
        for chat_is_open in (self.open_chat.opened, self.open_chat.first_saved):
            chat_is_open.connect(self.storage.note_opened)
        self.window.sidebar.left.connect(self.window.composer.focus_edit)
        self.menus.settings.triggered.connect(self.settings_window.open)
        self.menus.help.triggered.connect(self.help.open)
        self.menus.check_updates.triggered.connect(self.updates.check)
        self.menus.compare.triggered.connect(self.compare.open)
        self.menus.suggestion.triggered.connect(self.memory.ask_suggested)
        self.menus.save_picture.triggered.connect(self.timeline.save_picture)
        self.menus.save_values.triggered.connect(self.timeline.save_values)
        self.menus.quality.triggered.connect(self.quality.ask)
        self.menus.reread.triggered.connect(self.reread.ask)
        self.window.panel.reread_requested.connect(self.reread.ask)
        self.menus.models.triggered.connect(self.models_window.open)

    @Slot()
    def _on_model_changed(self) -> None:
        self.chats.model_name = self.models.name
