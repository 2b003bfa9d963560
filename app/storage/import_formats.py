"""Reading the two kinds of files that chats come in: Velox's own JSON and ChatGPT's export."""

from pathlib import Path
from typing import Any

from app.storage.errors import ImportRefusedError
from app.storage.exporting import FORMAT, FORMAT_VERSION
from app.storage.import_chatgpt import chatgpt_chat
from app.storage.import_velox import expect, velox_chat
from app.storage.importing import MAX_MESSAGES, ImportedChat, read_json_file
from app.storage.store import ChatStore


def import_file(store: ChatStore, path: Path) -> tuple[str, ...]:
    """Bring in all chats of a JSON file, or none; returns their ids.

    Raises:
        ImportRefusedError: The file is not one that Velox reads; nothing was imported.
        StorageError: The chats cannot be stored.
    """
    return store.import_chats(parse(read_json_file(path)))


def parse(document: Any) -> tuple[ImportedChat, ...]:
    """The chats in a JSON value.

    Raises:
        ImportRefusedError: Anything in it is not as it should be.
    """
    if isinstance(document, dict) and document.get("format") == FORMAT:
        if document.get("version") != FORMAT_VERSION:
            raise ImportRefusedError(
                "This file is from a newer version of Velox; update Velox to import it."
            )
        entries = expect(document, "chats", list, "The file")
        chats = tuple(velox_chat(entry, f"Chat {n}") for n, entry in enumerate(entries, 1))
    else:
        entries = document if isinstance(document, list) else [document]
        if not entries or not all(isinstance(e, dict) and "mapping" in e for e in entries):
            raise ImportRefusedError(
                "This file holds no chats that Velox knows; it imports its own JSON exports and "
                "ChatGPT's conversations.json."
            )
        chats = tuple(chatgpt_chat(entry, f"Chat {n}") for n, entry in enumerate(entries, 1))
        chats = tuple(chat for chat in chats if chat.messages)
    if sum(len(chat.messages) for chat in chats) > MAX_MESSAGES:
        raise ImportRefusedError(
            f"This file holds more than {MAX_MESSAGES:,} messages; split it and import the parts."
        )
    return chats
