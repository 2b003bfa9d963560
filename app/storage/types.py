"""What the store hands out: frozen records of plain values, safe on any thread."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
MessageState = Literal["complete", "partial", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """A chat as the list shows it. Times are Unix seconds.

    Attributes:
        id: The chat's name for ever.
        title: What the list shows; empty until the first message.
        pinned: Shown above the others.
        created_at: When the chat was made.
        updated_at: When its newest message was written; the list is sorted by it.
        preview: The beginning of its newest message, on one line.
    """

    id: str
    title: str
    pinned: bool
    created_at: float
    updated_at: float
    preview: str = ""


@dataclass(frozen=True, slots=True)
class ChatRecord:
    """All of a chat but its messages.

    Attributes:
        id: The chat's name for ever.
        title: Its title; empty until the first message.
        title_is_auto: The title was made from the first exchange, not by a person.
        pinned: Shown above the others.
        created_at: Unix seconds.
        updated_at: Unix seconds.
        draft: What stands unsent in its composer.
        settings: What differs from the defaults, by key of ``app.settings.table`` (system prompt,
            sampling, cache and model).
    """

    id: str
    title: str
    title_is_auto: bool
    pinned: bool
    created_at: float
    updated_at: float
    draft: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """One message, in one of its versions.

    Messages form a tree: the versions of a message are the children of one parent.

    Attributes:
        id: The message's name for ever.
        chat_id: The chat that it belongs to.
        parent_id: The message before it; None for the first.
        role: Who speaks.
        content: The raw text.
        token_ids: For a reply, the ids as generated; empty when unknown.
        stats: For a reply, what was measured, as plain JSON values.
        state: ``partial`` while a reply is being generated, then how it ended.
        pinned: Its rows in the KV cache are protected.
        created_at: Unix seconds.
        model: The model that wrote it; empty for other roles.
        version: Its place among its versions, from 1.
        n_versions: How many versions there are.
    """

    id: str
    chat_id: str
    parent_id: str | None
    role: Role
    content: str
    token_ids: tuple[int, ...] = ()
    stats: Mapping[str, Any] = field(default_factory=dict)
    state: MessageState = "complete"
    pinned: bool = False
    created_at: float = 0.0
    model: str = ""
    version: int = 1
    n_versions: int = 1


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message, or a chat's title, that holds all words of a search.

    Attributes:
        chat_id: The chat that it is in.
        chat_title: That chat's title.
        message_id: The message; empty when the title was found.
        role: Who speaks; ``user`` for a title.
        snippet: A piece of the text around the first word found, on one line.
        highlights: Where in ``snippet`` the words stand, as (start, end) pairs of characters.
        created_at: Unix seconds.
    """

    chat_id: str
    chat_title: str
    message_id: str
    role: Role
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    created_at: float


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion took away; hand it to ``ChatStore.restore`` to bring it back.

    Attributes:
        chat_id: The chat, or the chat that the message is in.
        message_ids: The messages taken away; empty when the whole chat was.
        parent_id: The message before the one deleted.
        adopted_ids: Messages that followed the deleted one and now follow its parent.
        active_id: The version that was shown before.
    """

    chat_id: str
    message_ids: tuple[str, ...] = ()
    parent_id: str | None = None
    adopted_ids: tuple[str, ...] = ()
    active_id: str | None = None
