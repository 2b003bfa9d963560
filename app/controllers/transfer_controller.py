"""Chats out to files and in from files."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.open_chat import OpenChat
from app.storage import exporting
from app.storage.import_formats import import_file


class TransferController(QObject):
    """Asks for a file, then has the storage thread write or read it.

    Signals:
        done: one plain sentence on what was written or read.
        problem: one plain sentence to show.
    """

    done = Signal(str)
    problem = Signal(str)

    def __init__(
        self,
        window: QWidget,
        desk: ChatDesk,
        open_chat: OpenChat,
        chats: ChatController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._desk = desk
        self._open = open_chat
        self._chats = chats
        self._kinds = f"{self.tr('Markdown')} (*.md);;{self.tr('JSON')} (*.json)"

    @Slot()
    def export_open(self) -> None:
        """Ask where to, then export the open chat."""
        if self._open.chat_id:
            self.export_chat(self._open.chat_id, self._open.title)
        else:
            self.problem.emit(self.tr("This chat is empty; there is nothing to export."))

    def export_chat(self, chat_id: str, title: str) -> None:
        """Ask where to, then export a chat."""
        name = exporting.file_name(title)
        path = self._ask_where(self.tr("Export Chat"), f"{name}.md")
        if path is not None:
            self.write_chat(chat_id, path)

    @Slot()
    def export_all(self) -> None:
        """Ask where to, then export all chats to one JSON file or to Markdown files beside it."""
        path = self._ask_where(self.tr("Export All Chats"), "Velox chats.json")
        if path is not None:
            self.write_all(path)

    @Slot()
    def import_chats(self) -> None:
        """Ask for a JSON file and import the chats in it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Import Chats"), "", f"{self.tr('JSON')} (*.json)"
        )
        if name:
            self.read_file(Path(name))

    def write_chat(self, chat_id: str, path: Path) -> None:
        """Write a chat to ``path``: as JSON if its name says so, else as Markdown."""
        if path.suffix.lower() == ".json":
            self._desk.run(
                lambda store: exporting.export_json(store, path, [chat_id]),
                lambda _n: self._tell_written(path),
            )
        else:
            self._desk.run(
                lambda store: exporting.export_chat_markdown(store, chat_id, path),
                lambda _none: self._tell_written(path),
            )

    def write_all(self, path: Path) -> None:
        """Write all chats: to the JSON file ``path``, or each as Markdown to its folder."""
        if path.suffix.lower() == ".md":
            self._desk.run(
                lambda store: exporting.export_all_markdown(store, path.parent),
                lambda _n: self._tell_written(path.parent),
            )
        else:
            self._desk.run(
                lambda store: exporting.export_json(store, path),
                lambda _n: self._tell_written(path),
            )

    def read_file(self, path: Path) -> None:
        """Import the chats in a file and open the first of them."""

        def read(ids: tuple[str, ...]) -> None:
            self._chats.chats_changed.emit()
            if ids:
                self._chats.open_chat(ids[0])
            self.done.emit(self.tr("Imported chats: {n}.").format(n=len(ids)))

        self._desk.run(lambda store: import_file(store, path), read)

    def _tell_written(self, path: Path) -> None:
        self.done.emit(self.tr("Exported to {path}.").format(path=path))

    def _ask_where(self, title: str, name: str) -> Path | None:
        start = str(Path.home() / name)
        kinds = self._kinds
        if name.endswith(".json"):
            kinds = ";;".join(reversed(kinds.split(";;")))
        chosen, kind = QFileDialog.getSaveFileName(self._window, title, start, kinds)
        if not chosen:
            return None
        path = Path(chosen)
        if path.suffix.lower() in (".md", ".json"):
            return path
        return path.with_name(path.name + (".json" if "*.json" in kind else ".md"))
