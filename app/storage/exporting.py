"""Writing chats to files: Markdown to read, JSON to bring them back."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.storage.errors import StorageError
from app.storage.store import ChatStore
from app.storage.types import ChatRecord, MessageRecord

FORMAT = "velox-chats"
FORMAT_VERSION = 1
_MAX_NAME_CHARS = 80
_UNSAFE = re.compile(r"[^\w\-. ]+")


def export_chat_markdown(store: ChatStore, chat_id: str, path: Path) -> None:
    """Write the messages that a chat shows to a Markdown file.

    Raises:
        UnknownItemError: There is no such chat.
        StorageError: The file cannot be written.
    """
    _write(path, chat_markdown(store.chat(chat_id), store.path(chat_id)))


def export_all_markdown(store: ChatStore, folder: Path) -> int:
    """Write each chat to a Markdown file of its own in ``folder``; returns how many.

    No file that is there already is overwritten.

    Raises:
        StorageError: A file cannot be written.
    """
    chats = store.list_chats()
    for summary in chats:
        text = chat_markdown(store.chat(summary.id), store.path(summary.id))
        _write(_free_path(folder, file_name(summary.title)), text)
    return len(chats)


def export_json(store: ChatStore, path: Path, chat_ids: Iterable[str] | None = None) -> int:
    """Write chats, all their versions included, to a JSON file; returns how many.

    Args:
        store: Where they are.
        path: The file.
        chat_ids: Which; None for all.

    Raises:
        UnknownItemError: There is no such chat.
        StorageError: The file cannot be written.
    """
    ids = [chat.id for chat in store.list_chats()] if chat_ids is None else list(chat_ids)
    chats = []
    for chat_id in ids:
        shown = {message.id for message in store.path(chat_id)}
        chats.append(_chat_object(store.chat(chat_id), store.all_messages(chat_id), shown))
    document = {"format": FORMAT, "version": FORMAT_VERSION, "chats": chats}
    _write(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return len(chats)


def chat_markdown(chat: ChatRecord, messages: Sequence[MessageRecord]) -> str:
    """The chat as a Markdown document; what was written stands in it unchanged."""
    parts = [f"# {chat.title or 'New Chat'}", f"*{_day_and_time(chat.created_at)}*"]
    system_prompt = chat.settings.get("chat.system_prompt")
    if system_prompt:
        parts += ["## System prompt", str(system_prompt)]
    for message in messages:
        name = "You" if message.role == "user" else message.model or message.role.capitalize()
        parts += [f"## {name}", message.content.strip("\n")]
    return "\n\n".join(parts) + "\n"


def file_name(title: str) -> str:
    """A file's name, without ending, that every system takes."""
    name = _UNSAFE.sub(" ", title)
    name = " ".join(name.split())[:_MAX_NAME_CHARS].strip(" .")
    return name or "Chat"


def _chat_object(
    chat: ChatRecord, messages: Sequence[MessageRecord], shown: set[str]
) -> dict[str, Any]:
    return {
        "title": chat.title,
        "title_is_auto": chat.title_is_auto,
        "pinned": chat.pinned,
        "created_at": chat.created_at,
        "updated_at": chat.updated_at,
        "draft": chat.draft,
        "settings": dict(chat.settings),
        "messages": [_message_object(message, message.id in shown) for message in messages],
    }


def _message_object(message: MessageRecord, shown: bool) -> dict[str, Any]:
    # No token ids: they mean something to one model only, and an import could not trust them.
    return {
        "id": message.id,
        "parent_id": message.parent_id,
        "shown": shown,
        "role": message.role,
        "content": message.content,
        "state": message.state,
        "pinned": message.pinned,
        "created_at": message.created_at,
        "model": message.model,
        "stats": dict(message.stats),
    }


def _day_and_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def _free_path(folder: Path, name: str) -> Path:
    path, number = folder / f"{name}.md", 2
    while path.exists():
        path = folder / f"{name} {number}.md"
        number += 1
    return path


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise StorageError(
            f"{path.name} could not be written ({reason}); choose another place."
        ) from error
