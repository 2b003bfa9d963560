"""Reading a chat from ChatGPT's export."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from app.storage.import_velox import expect
from app.storage.importing import MAX_MESSAGE_CHARS, ImportedChat, ImportedMessage

_CHATGPT_TEXTS = ("text", "multimodal_text", "code")


def chatgpt_chat(entry: dict[str, Any], place: str) -> ImportedChat:
    """One conversation of ChatGPT's export, all its branches; ``place`` names it in messages.

    Only what a person sees is taken: no tool calls, system notes or pictures.

    Raises:
        ImportRefusedError: It is not built like a conversation.
    """
    mapping = expect(entry, "mapping", dict, place)
    shown = set(_line_up(mapping, entry.get("current_node")))
    messages = []
    kept_above: dict[str, str | None] = {}
    for key, parent in _parents_first(mapping):
        above = kept_above.get(parent) if parent is not None else None
        message = _message(key, above, mapping[key].get("message"), key in shown)
        kept_above[key] = above if message is None else key
        if message is not None:
            messages.append(message)
    title = entry.get("title")
    return ImportedChat(
        title=title if isinstance(title, str) else "",
        title_is_auto=not title,
        messages=tuple(messages),
        created_at=_number(entry.get("create_time")),
        updated_at=_number(entry.get("update_time")),
    )


def _line_up(mapping: dict[str, Any], key: Any) -> Iterator[str]:
    """The keys from a node up to its root; ends at a circle."""
    seen: set[str] = set()
    while isinstance(key, str) and key in mapping and key not in seen:
        seen.add(key)
        yield key
        node = mapping[key]
        key = node.get("parent") if isinstance(node, dict) else None


def _parents_first(mapping: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Every node that hangs on a root, with its parent, parents before children."""
    children: dict[str | None, list[str]] = {}
    for key, node in mapping.items():
        if isinstance(node, dict):
            parent = node.get("parent")
            known = isinstance(parent, str) and isinstance(mapping.get(parent), dict)
            children.setdefault(parent if known else None, []).append(key)
    waiting: deque[tuple[str, str | None]] = deque((key, None) for key in children.get(None, []))
    while waiting:
        key, parent = waiting.popleft()
        yield key, parent
        waiting.extend((child, key) for child in children.get(key, []))


def _message(key: str, parent_key: str | None, message: Any, shown: bool) -> ImportedMessage | None:
    """The message in a node; None for what holds no visible text (tools, hidden notes)."""
    if not isinstance(message, dict):
        return None
    author, content = message.get("author"), message.get("content")
    metadata = message.get("metadata")
    if not isinstance(author, dict) or not isinstance(content, dict):
        return None
    role = author.get("role")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    if role not in ("user", "assistant") or hidden or message.get("recipient", "all") != "all":
        return None
    if content.get("content_type") not in _CHATGPT_TEXTS:
        return None
    parts = content.get("parts")
    texts = parts if isinstance(parts, list) else [content.get("text")]
    text = "\n\n".join(part for part in texts if isinstance(part, str) and part.strip())
    if not text or len(text) > MAX_MESSAGE_CHARS:
        return None
    model = metadata.get("model_slug") if isinstance(metadata, dict) else None
    return ImportedMessage(
        key=key,
        parent_key=parent_key,
        role=role,
        content=text,
        shown=shown,
        created_at=_number(message.get("create_time")),
        model=model if isinstance(model, str) and role == "assistant" else "",
    )


def _number(value: Any) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable and abs(value) < 2**53 else 0.0
