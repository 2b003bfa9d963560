"""What is done with chats in one step; whatever takes the store runs on the storage thread."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.storage.store import ChatStore
from app.storage.types import ChatRecord, Deletion, MessageRecord
from velox_core.engine.events import Turn

# The engine's name for the system prompt, which is no stored message.
SYSTEM_PROMPT_ID = "system"


@dataclass(frozen=True, slots=True)
class OpenedChat:
    """A chat with the messages that it shows."""

    chat: ChatRecord
    path: tuple[MessageRecord, ...]


@dataclass(frozen=True, slots=True)
class StartedReply:
    """A chat whose last message is a reply that is to be generated now."""

    chat: ChatRecord
    path: tuple[MessageRecord, ...]

    @property
    def reply(self) -> MessageRecord:
        """The reply, empty or to be continued."""
        return self.path[-1]


def turns_of(
    path: Sequence[MessageRecord], system_prompt: str, keep_prompt: bool, *, continued: bool
) -> tuple[Turn, ...]:
    """The conversation as the engine reads it, to answer or continue the last message.

    The cache keeps all of what is pinned, and of the system prompt with ``keep_prompt``. Replies
    without any text are left out: they would stand between two messages of a person.
    """
    turns = []
    if system_prompt.strip():
        turns.append(Turn("system", system_prompt, (), SYSTEM_PROMPT_ID, keep_prompt))
    records = path if continued else path[:-1]
    turns += [
        Turn(record.role, record.content, record.token_ids, record.id, record.pinned)
        for record in records
        if record.content.strip()
    ]
    return tuple(turns)


@dataclass(frozen=True, slots=True)
class Removed:
    """What a deletion took away, and what the chat shows now."""

    deletion: Deletion
    path: tuple[MessageRecord, ...]


def open_chat(store: ChatStore, chat_id: str) -> OpenedChat:
    """Read a chat."""
    return OpenedChat(store.chat(chat_id), store.path(chat_id))


def send(
    store: ChatStore, chat_id: str, settings: Mapping[str, Any], text: str, model: str
) -> StartedReply:
    """Save a person's message and an empty reply to it, in a new chat if ``chat_id`` is empty."""
    if not chat_id:
        chat_id = store.create_chat(settings=settings).id
    store.add_message(chat_id, "user", text)
    store.set_draft(chat_id, "")
    return answer_last(store, chat_id, model)


def answer_last(store: ChatStore, chat_id: str, model: str) -> StartedReply:
    """Save an empty reply to the last message shown."""
    store.add_message(chat_id, "assistant", "", state="partial", model=model)
    return StartedReply(store.chat(chat_id), store.path(chat_id))


def regenerate(store: ChatStore, message_id: str, model: str) -> StartedReply:
    """Save another, empty version of a reply; what followed stays with the old one."""
    record = store.add_version(message_id, "", state="partial", model=model)
    return StartedReply(store.chat(record.chat_id), store.path(record.chat_id))


def edit(store: ChatStore, message_id: str, text: str, model: str) -> StartedReply:
    """Save another version of a person's message, and an empty reply to it."""
    record = store.add_version(message_id, text)
    return answer_last(store, record.chat_id, model)


def rewrite_reply(store: ChatStore, message_id: str, text: str) -> tuple[MessageRecord, ...]:
    """Save a reply as the person corrected it, as another version."""
    record = store.add_version(message_id, text)
    return store.path(record.chat_id)


def show_version(store: ChatStore, message_id: str, step: int) -> tuple[MessageRecord, ...]:
    """Show the version ``step`` places after this one; at the ends nothing changes."""
    versions = store.versions(message_id)
    at = versions.index(message_id) + step
    if 0 <= at < len(versions):
        store.show_message(versions[at])
    return store.path(store.message(message_id).chat_id)


def show_found(store: ChatStore, chat_id: str, message_id: str) -> tuple[MessageRecord, ...]:
    """Have a chat show a message that may belong to another version of it."""
    if all(record.id != message_id for record in store.path(chat_id)):
        store.show_message(message_id)
    return store.path(chat_id)


def delete_message(store: ChatStore, message_id: str) -> Removed:
    """Take a message away."""
    deletion = store.delete_message(message_id)
    return Removed(deletion, store.path(deletion.chat_id))


def restore_message(store: ChatStore, deletion: Deletion) -> tuple[MessageRecord, ...]:
    """Bring a deleted message back."""
    store.restore(deletion)
    return store.path(deletion.chat_id)
