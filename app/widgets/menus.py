"""The menu bar: every command with its shortcut, and the role macOS gives it."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

_Key = QKeySequence.StandardKey
_Role = QAction.MenuRole


class Menus(QObject):
    """Builds the menus of ``window``; controllers connect the actions."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._bar = window.menuBar()
        self._build_file()
        self._build_edit()
        self._build_view()
        self._build_chat()
        self._build_window()
        self._build_help()

    def actions(self) -> list[QAction]:
        """Return every action."""
        return [value for value in vars(self).values() if isinstance(value, QAction)]

    def _build_file(self) -> None:
        menu = self._bar.addMenu(self.tr("&File"))
        self.new_chat = self._add(menu, self.tr("New Chat"), _Key.New)
        self.attach = self._add(menu, self.tr("Attach Files…"), "Ctrl+O")
        menu.addSeparator()
        self.import_chats = self._add(menu, self.tr("Import Chats…"))
        self.export_chat = self._add(menu, self.tr("Export Chat…"), "Ctrl+Shift+E")
        self.export_all = self._add(menu, self.tr("Export All Chats…"))
        self.save_picture = self._add(menu, self.tr("Save Time Line as Picture…"))
        self.save_values = self._add(menu, self.tr("Save Time Line as Table…"))
        menu.addSeparator()
        self.models = self._add(menu, self.tr("Models…"), "Ctrl+Shift+M")
        self.close_window = self._add(menu, self.tr("Close Window"), _Key.Close)
        # These three move into the application's own menu on macOS.
        self.settings = self._add(menu, self.tr("Settings…"), "Ctrl+,", role=_Role.PreferencesRole)
        self.quit = self._add(menu, self.tr("Quit Velox"), "Ctrl+Q", role=_Role.QuitRole)

    def _build_edit(self) -> None:
        menu = self._bar.addMenu(self.tr("&Edit"))
        self.undo = self._add(menu, self.tr("Undo"), _Key.Undo)
        self.redo = self._add(menu, self.tr("Redo"), _Key.Redo)
        self.undo_delete = self._add(menu, self.tr("Undo Delete"), "Ctrl+Alt+Z")
        self.undo_delete.setEnabled(False)
        menu.addSeparator()
        self.cut = self._add(menu, self.tr("Cut"), _Key.Cut)
        self.copy = self._add(menu, self.tr("Copy"), _Key.Copy)
        self.paste = self._add(menu, self.tr("Paste"), _Key.Paste)
        self.select_all = self._add(menu, self.tr("Select All"), _Key.SelectAll)
        self.copy_reply = self._add(menu, self.tr("Copy Last Reply"), "Ctrl+Shift+C")
        menu.addSeparator()
        self.find = self._add(menu, self.tr("Find in Chat…"), _Key.Find)
        self.find_next = self._add(menu, self.tr("Find Next"), "Ctrl+G")
        self.find_previous = self._add(menu, self.tr("Find Previous"), "Ctrl+Shift+G")
        self.search = self._add(menu, self.tr("Search All Chats…"), "Ctrl+Shift+F")

    def _build_view(self) -> None:
        menu = self._bar.addMenu(self.tr("&View"))
        self.toggle_sidebar = self._add(menu, self.tr("Show or Hide Chats"), "Ctrl+Alt+S")
        self.toggle_panel = self._add(menu, self.tr("Show or Hide Memory"), "Ctrl+Alt+P")
        self.show_remembered = self._add(menu, self.tr("Show What Is Remembered"), "Ctrl+Alt+M")
        self.show_remembered.setCheckable(True)
        menu.addSeparator()
        self.zoom_in = self._add(menu, self.tr("Larger Text"), "Ctrl++", "Ctrl+=")
        self.zoom_out = self._add(menu, self.tr("Smaller Text"), "Ctrl+-")
        self.zoom_reset = self._add(menu, self.tr("Usual Text Size"), "Ctrl+0")
        menu.addSeparator()
        self.full_screen = self._add(menu, self.tr("Enter Full Screen"), _Key.FullScreen)

    def _build_chat(self) -> None:
        menu = self._bar.addMenu(self.tr("&Chat"))
        self.stop = self._add(menu, self.tr("Stop"), "Ctrl+.")
        self.regenerate = self._add(menu, self.tr("Regenerate Reply"), "Ctrl+R")
        self.continue_reply = self._add(menu, self.tr("Continue Reply"))
        self.reread = self._add(menu, self.tr("Re-read Conversation…"))
        self.suggestion = self._add(menu, self.tr("Suggested Budget…"))
        self.quality = self._add(menu, self.tr("Check Quality…"))
        self.compare = self._add(menu, self.tr("Compare with the Full Cache…"))
        menu.addSeparator()
        self.rename = self._add(menu, self.tr("Rename…"))
        self.delete_chat = self._add(menu, self.tr("Delete Chat"), "Ctrl+Shift+Backspace")

    def _build_window(self) -> None:
        menu = self._bar.addMenu(self.tr("&Window"))
        self.minimize = self._add(menu, self.tr("Minimize"), "Ctrl+M")
        self.zoom_window = self._add(menu, self.tr("Zoom"))
        self.previous_chat = self._add(menu, self.tr("Previous Chat"), "Ctrl+Shift+[")
        self.next_chat = self._add(menu, self.tr("Next Chat"), "Ctrl+Shift+]")

    def _build_help(self) -> None:
        menu = self._bar.addMenu(self.tr("&Help"))
        self.help = self._add(menu, self.tr("Velox Help"), _Key.HelpContents)
        self.check_updates = self._add(menu, self.tr("Check for Updates…"))
        self.show_log = self._add(menu, self.tr("Show Log File"))
        self.about = self._add(menu, self.tr("About Velox"), role=_Role.AboutRole)

    def _add(
        self,
        menu: QMenu,
        text: str,
        *keys: str | QKeySequence.StandardKey,
        role: QAction.MenuRole = _Role.NoRole,
    ) -> QAction:
        action = QAction(text, self._window)
        action.setMenuRole(role)
        # Standard keys follow the platform; "Ctrl" in a sequence is Command on macOS.
        action.setShortcuts([QKeySequence(key) for key in keys])
        menu.addAction(action)
        return action
