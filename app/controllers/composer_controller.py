"""The composer: sending, drafts, earlier prompts, attached files, and how many tokens they take."""

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QFileDialog, QListView

from app.controllers.attached_files import read_text_files
from app.controllers.chat_controller import ChatController
from app.controllers.chat_desk import ChatDesk
from app.controllers.open_chat import OpenChat
from app.controllers.replies import Replies
from app.controllers.token_counter import TokenCounter, estimate_tokens
from app.models.attachment import Attachment, message_text
from app.models.formats import format_count
from app.settings.store import SettingsStore
from app.widgets.composer import Composer

_DRAFT_DELAY_MS = 600
_COUNT_DELAY_MS = 150
_MOST_PROMPTS = 50
_NEW_DRAFT = "window.new_draft"


class ComposerController(QObject):
    """Wires the composer to the chats.

    Signals:
        problem: one plain sentence to show.
    """

    problem = Signal(str)

    def __init__(
        self,
        composer: Composer,
        desk: ChatDesk,
        open_chat: OpenChat,
        replies: Replies,
        chats: ChatController,
        counter: TokenCounter,
        settings: SettingsStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._desk = desk
        self._open = open_chat
        self._replies = replies
        self._chats = chats
        self._counter = counter
        self._settings = settings
        self._chat_id = ""
        self._files: dict[str, list[Attachment]] = {}
        self._prompts: list[str] = []
        self._ready = False
        self._cache_text = self._message_text = ""
        self._draft_timer = self._timer(_DRAFT_DELAY_MS, self.save_draft)
        self._count_timer = self._timer(_COUNT_DELAY_MS, self._count)
        composer.send_requested.connect(self._on_send_requested)
        composer.stop_requested.connect(chats.stop)
        composer.attach_requested.connect(self.choose_files)
        composer.files_dropped.connect(self._on_files_dropped)
        composer.text_pasted.connect(self._on_text_pasted)
        composer.attachment_removed.connect(self._on_attachment_removed)
        composer.text_changed.connect(self._on_text_changed)
        open_chat.opened.connect(self._on_opened)
        open_chat.first_saved.connect(self._on_first_saved)
        replies.busy_changed.connect(self._on_busy_changed)
        chats.send_failed.connect(self._on_send_failed)
        counter.changed.connect(self._count_timer.start)
        self._first_text = settings.get(_NEW_DRAFT)
        composer.set_text(self._first_text)

    def load_prompts(self) -> None:
        """Fetch the earlier prompts that ↑ walks through."""
        self._desk.run(lambda store: store.recent_prompts(_MOST_PROMPTS), self._show_prompts)

    def set_ready(self, ready: bool) -> None:
        """Whether there is a model that answers, or will once it is loaded."""
        self._ready = ready
        self._composer.set_ready(ready)

    def set_cache_text(self, text: str) -> None:
        """What is said about the cache beside the count, like "1,842 seen · 512 kept"."""
        self._cache_text = text
        self._show_counts()

    @Slot()
    def choose_files(self) -> None:
        """Ask for text files and attach them."""
        names, _ = QFileDialog.getOpenFileNames(self._composer, self.tr("Attach text files"))
        if names:
            self._on_files_dropped(names)

    @Slot()
    def save_draft(self) -> None:
        """Keep what stands in the field."""
        self._draft_timer.stop()
        chat_id, text = self._chat_id, self._composer.text()
        if not chat_id:
            self._settings.set(_NEW_DRAFT, text)
        else:
            # A chat that was deleted meanwhile needs none.
            self._desk.run(lambda store: store.set_draft(chat_id, text), failed=lambda _: None)

    def _timer(self, delay_ms: int, slot) -> QTimer:  # type: ignore[no-untyped-def]
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(delay_ms)
        timer.timeout.connect(slot)
        return timer

    @property
    def _attached(self) -> list[Attachment]:
        return self._files.setdefault(self._chat_id, [])

    @Slot()
    def _on_send_requested(self) -> None:
        typed = self._composer.text()
        text = message_text(typed.strip("\n"), self._attached)
        if not text.strip():
            return
        if not self._ready:
            self.problem.emit(self.tr("No model is loaded; choose one at the top first."))
            return
        if self._chats.send(text):
            self._draft_timer.stop()
            self._attached.clear()
            self._show_attached()
            self._composer.set_text("")
            if not self._chat_id:
                self._settings.set(_NEW_DRAFT, "")
            if typed.strip():
                self._prompts = [p for p in self._prompts if p != typed][-_MOST_PROMPTS:]
                self._prompts.append(typed)
                self._composer.edit.set_history(self._prompts)

    @Slot(str)
    def _on_send_failed(self, text: str) -> None:
        if not self._composer.text():
            self._composer.set_text(text)

    @Slot(str)
    def _on_opened(self, chat_id: str) -> None:
        typed = self._typed_early()
        if typed:
            self._settings.set(_NEW_DRAFT, self._first_text)
        elif self._draft_timer.isActive():
            self.save_draft()
        self._chat_id = chat_id
        draft = self._open.chat.draft if self._open.chat else self._settings.get(_NEW_DRAFT)
        self._composer.set_text(draft + typed)
        if not typed:
            self._draft_timer.stop()
        self._show_attached()
        self._composer.set_busy(self._replies.is_busy(chat_id))
        # Who walks through the list by keyboard goes on walking.
        if not chat_id or not isinstance(QApplication.focusWidget(), QListView):
            self._composer.focus_edit()

    def _typed_early(self) -> str:
        """What was typed while the window's first chat was being read: it was meant for that."""
        text = self._composer.text()
        if not self._chats.restores_last or not text.startswith(self._first_text):
            return ""
        return text.removeprefix(self._first_text)

    @Slot(str)
    def _on_first_saved(self, chat_id: str) -> None:
        """The chat that was new has an id now; what was typed meanwhile stays."""
        self._files[chat_id] = self._files.pop("", [])
        self._chat_id = chat_id
        self._settings.set(_NEW_DRAFT, "")

    @Slot(str, bool)
    def _on_busy_changed(self, chat_id: str, busy: bool) -> None:
        if chat_id == self._open.chat_id:
            self._composer.set_busy(busy)

    @Slot()
    def _on_text_changed(self) -> None:
        self._draft_timer.start()
        self._count_timer.start()

    @Slot()
    def _count(self) -> None:
        text = self._composer.text()
        if not text.strip():
            self._show_count(sum(file.n_tokens for file in self._attached), False)
        else:
            self._counter.count(message_text(text, self._attached), self._show_count)

    def _show_count(self, n_tokens: int, exact: bool) -> None:
        words = self.tr("+{n} in this message") if exact else self.tr("about {n} in this message")
        is_empty = not self._composer.text().strip() and not self._attached
        self._message_text = "" if is_empty else words.format(n=format_count(n_tokens))
        self._show_counts()

    def _show_counts(self) -> None:
        parts = (self._cache_text, self._message_text)
        self._composer.set_counts(" · ".join(part for part in parts if part))

    @Slot(list)
    def _on_files_dropped(self, names: list[str]) -> None:
        texts, refused = read_text_files([Path(name) for name in names])
        for sentence in refused:
            self.problem.emit(sentence)
        for name, text in texts:
            self._attach(name, text)

    @Slot(str)
    def _on_text_pasted(self, text: str) -> None:
        self._attach(self.tr("Pasted text"), text)

    def _attach(self, name: str, text: str) -> None:
        files = self._attached
        estimated = Attachment(name, text, estimate_tokens(text))
        files.append(estimated)

        def counted(n_tokens: int, exact: bool) -> None:
            if exact and estimated in files:
                files[files.index(estimated)] = Attachment(name, text, n_tokens, exact)
                self._show_attached()

        self._show_attached()
        self._counter.count(text, counted)
        self._on_text_changed()

    @Slot(int)
    def _on_attachment_removed(self, place: int) -> None:
        if 0 <= place < len(self._attached):
            del self._attached[place]
            self._show_attached()
            self._on_text_changed()

    def _show_attached(self) -> None:
        self._composer.set_attachments(list(self._attached))

    def _show_prompts(self, newest_first: tuple[str, ...]) -> None:
        older = [text for text in reversed(newest_first) if text not in self._prompts]
        self._prompts = older + self._prompts
        self._composer.edit.set_history(self._prompts)
