"""The store of all chats: what the application calls, on the storage thread."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.storage import chats, deletion, importing, merging, messages, search, writing
from app.storage.database import Database
from app.storage.importing import ImportedChat
from app.storage.text import clean, one_line
from app.storage.titles import MAX_TITLE_CHARS
from app.storage.types import (
    ChatRecord,
    ChatSummary,
    Deletion,
    MessageRecord,
    MessageState,
    Role,
    SearchHit,
)

UNDO_KEPT_S = 24 * 3600.0


class ChatStore:
    """Chats in one SQLite file.

    Building one touches nothing and may happen anywhere; every method but :meth:`on_degraded` runs
    on the storage thread (``StorageThread.submit(store.path, chat_id)``). A file that cannot be
    opened or written never raises: the store goes on in memory, :attr:`degraded` holds one plain
    sentence to show and the callbacks are told. Methods that name a chat or message raise
    ``UnknownItemError`` when it is gone, except the saving of replies, which is then ignored.
    """

    def __init__(self, path: Path) -> None:
        self._callbacks: list[Callable[[str], None]] = []
        self._database = Database(path, self._tell_degraded)

    @property
    def degraded(self) -> str:
        """Why chats are kept in memory only, as a sentence to show; empty when they are saved."""
        return self._database.degraded

    @property
    def notice(self) -> str:
        """What opening had to do, as a sentence to show once; empty when nothing special."""
        return self._database.notice

    def on_degraded(self, callback: Callable[[str], None]) -> None:
        """Call ``callback(sentence)`` on the storage thread when ``degraded`` changes."""
        self._callbacks.append(callback)

    def open(self) -> None:
        """Open, check and migrate the file; end what a crash interrupted."""
        self._database.open()
        self._database.write(messages.end_interrupted)
        self._database.write(chats.purge, time.time() - UNDO_KEPT_S)

    def close(self) -> None:
        """Erase what was deleted for good and close the file."""
        self.purge_deleted()
        self._database.close()

    def save_again(self) -> bool:
        """After ``degraded``: try to save everything in the file; returns whether it worked."""
        return self._database.save_again(merging.merge)

    # Chats

    def list_chats(self) -> tuple[ChatSummary, ...]:
        """All chats: pinned ones first, then the newest first."""
        return self._database.read(chats.list_all)

    def create_chat(self, title: str = "", settings: Mapping[str, Any] | None = None) -> ChatRecord:
        """A new, empty chat; without a title it gets one from its first exchange."""
        return self._database.write(chats.create, title, settings or {})

    def chat(self, chat_id: str) -> ChatRecord:
        """One chat with its draft and settings."""
        return self._database.read(chats.get, chat_id)

    def rename_chat(self, chat_id: str, title: str) -> None:
        """Give a chat a title; an empty one lets Velox choose again."""
        line = one_line(title, MAX_TITLE_CHARS)
        self._database.write(chats.update, chat_id, title=line, title_is_auto=not line)
        if not line:
            self._database.write(writing.make_title, chat_id)

    def set_chat_pinned(self, chat_id: str, pinned: bool) -> None:
        """Pin a chat to the top of the list, or unpin it."""
        self._database.write(chats.update, chat_id, pinned=pinned)

    def set_draft(self, chat_id: str, text: str) -> None:
        """Keep what stands unsent in the chat's composer."""
        self._database.write(chats.update, chat_id, draft=clean(text))

    def set_chat_settings(self, chat_id: str, settings: Mapping[str, Any]) -> None:
        """Replace what the chat sets differently from the defaults."""
        self._database.write(chats.update, chat_id, settings=chats.settings_text(settings))

    def import_chats(self, imported: Sequence[ImportedChat]) -> tuple[str, ...]:
        """Save chats read by ``app.storage.import_formats``, all or none; returns their ids."""
        return self._database.write(importing.insert_chats, imported)

    def delete_chat(self, chat_id: str) -> Deletion:
        """Take a chat away; :meth:`restore` brings it back until it is purged."""
        self._database.write(chats.delete, chat_id)
        return Deletion(chat_id)

    # Messages

    def path(self, chat_id: str) -> tuple[MessageRecord, ...]:
        """The messages that the chat shows, first to last."""
        return self._database.read(messages.path, chat_id)

    def all_messages(self, chat_id: str) -> tuple[MessageRecord, ...]:
        """Every version of every message of a chat, oldest first."""
        return self._database.read(messages.all_of_chat, chat_id)

    def message(self, message_id: str) -> MessageRecord:
        """One message."""
        return self._database.read(messages.get, message_id)

    def add_message(
        self,
        chat_id: str,
        role: Role,
        content: str,
        *,
        state: MessageState = "complete",
        model: str = "",
    ) -> MessageRecord:
        """Save a message at the end of what the chat shows.

        A reply is added with ``state="partial"`` and no content before its generation starts.
        """
        return self._database.write(writing.append, chat_id, role, content, state, model)

    def add_version(
        self, message_id: str, content: str, *, state: MessageState = "complete", model: str = ""
    ) -> MessageRecord:
        """Save another version of a message and show it: an edit, or a reply generated anew.

        What followed the other versions stays with them.
        """
        return self._database.write(writing.add_version, message_id, content, state, model)

    def save_partial(self, message_id: str, text: str, token_ids: Sequence[int] = ()) -> None:
        """Save all of a reply's text so far; ``app.storage.reply_saver`` calls it as it streams."""
        self._database.write(messages.write_content, message_id, text, token_ids, "partial")

    def finish_message(
        self,
        message_id: str,
        text: str,
        token_ids: Sequence[int] = (),
        stats: Mapping[str, Any] | None = None,
        state: MessageState = "complete",
    ) -> None:
        """Save a reply that ended, and make the chat's title after the first exchange."""
        self._database.write(writing.finish, message_id, text, token_ids, stats or {}, state)

    def set_message_pinned(self, message_id: str, pinned: bool) -> None:
        """Pin a message, or unpin it."""
        self._database.write(messages.set_pinned, message_id, pinned)

    def versions(self, message_id: str) -> tuple[str, ...]:
        """The ids of all versions of a message, oldest first."""
        return self._database.read(messages.versions, message_id)

    def show_message(self, message_id: str) -> None:
        """Make what the chat shows go through this version of a message."""
        self._database.write(messages.show, message_id)

    def delete_message(self, message_id: str) -> Deletion:
        """Take a message away; :meth:`restore` brings it back until it is purged.

        One of several versions goes with all that followed it, and the version beside it is shown.
        The only version goes alone: what followed it stays.
        """
        return self._database.write(deletion.delete_message, message_id)

    def restore(self, deleted: Deletion) -> None:
        """Undo :meth:`delete_chat` or :meth:`delete_message`."""
        if deleted.message_ids:
            self._database.write(deletion.restore_message, deleted)
        else:
            self._database.write(chats.restore, deleted.chat_id)

    def purge_deleted(self, older_than_s: float = 0.0) -> int:
        """Erase what was deleted longer ago than that; returns how many chats and messages."""
        return self._database.write(chats.purge, time.time() - older_than_s)

    def search(self, query: str, limit: int = 100) -> tuple[SearchHit, ...]:
        """Titles and messages that hold every word of ``query``, whatever it contains."""
        return self._database.read(search.search, query, limit)

    def recent_prompts(self, limit: int = 50) -> tuple[str, ...]:
        """What a person wrote last, newest first, for the composer's history."""
        return self._database.read(messages.recent_prompts, limit)

    def _tell_degraded(self, sentence: str) -> None:
        for callback in tuple(self._callbacks):
            callback(sentence)
