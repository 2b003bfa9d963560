"""Reading a chat from Velox's own JSON."""

from typing import Any

from app.storage.errors import ImportRefusedError
from app.storage.importing import MAX_MESSAGE_CHARS, ImportedChat, ImportedMessage

# A model's folder is not among them: a path from elsewhere must not be loaded.
_SETTING_GROUPS = ("chat.", "sampling.", "memory.")
_ROLES = ("system", "user", "assistant")
_STATES = ("complete", "partial", "stopped", "failed")


def velox_chat(entry: Any, place: str) -> ImportedChat:
    """One chat of a JSON file that Velox wrote; ``place`` names it in messages.

    Raises:
        ImportRefusedError: Anything in it is not as Velox writes it.
    """
    if not isinstance(entry, dict):
        raise ImportRefusedError(f"{place} in this file is not an object.")
    seen: set[str] = set()
    messages = []
    for number, item in enumerate(expect(entry, "messages", list, place), 1):
        message = _message(item, f"Message {number} of {place[0].lower()}{place[1:]}")
        if message.parent_key is not None and message.parent_key not in seen:
            raise ImportRefusedError(
                f"Message {number} of {place[0].lower()}{place[1:]} follows a message that is "
                "not before it."
            )
        seen.add(message.key)
        messages.append(message)
    return ImportedChat(
        title=expect(entry, "title", str, place),
        title_is_auto=expect(entry, "title_is_auto", bool, place, True),
        messages=tuple(messages),
        pinned=expect(entry, "pinned", bool, place, False),
        created_at=expect(entry, "created_at", float, place, 0.0),
        updated_at=expect(entry, "updated_at", float, place, 0.0),
        draft=expect(entry, "draft", str, place, ""),
        settings={
            key: value
            for key, value in expect(entry, "settings", dict, place, {}).items()
            if key.startswith(_SETTING_GROUPS)
        },
    )


def _message(item: Any, place: str) -> ImportedMessage:
    if not isinstance(item, dict):
        raise ImportRefusedError(f"{place} in this file is not an object.")
    role = expect(item, "role", str, place)
    state = expect(item, "state", str, place, "complete")
    if role not in _ROLES or state not in _STATES:
        raise ImportRefusedError(f"{place} has a role or a state that Velox does not know.")
    content = expect(item, "content", str, place)
    if len(content) > MAX_MESSAGE_CHARS:
        raise ImportRefusedError(f"{place} is longer than {MAX_MESSAGE_CHARS:,} characters.")
    parent = item.get("parent_id")
    return ImportedMessage(
        key=expect(item, "id", str, place),
        parent_key=None if parent is None else expect(item, "parent_id", str, place),
        role=role,
        content=content,
        shown=expect(item, "shown", bool, place, True),
        state=state,
        pinned=expect(item, "pinned", bool, place, False),
        created_at=expect(item, "created_at", float, place, 0.0),
        model=expect(item, "model", str, place, ""),
        stats=_numbers(expect(item, "stats", dict, place, {})),
    )


def _numbers(stats: dict[str, Any], depth: int = 1) -> dict[str, Any]:
    """What of the measured values is of a kind that Velox shows."""
    kept: dict[str, Any] = {}
    for key, value in stats.items():
        if isinstance(value, int | float) or (key == "stop_reason" and isinstance(value, str)):
            kept[key] = value
        elif isinstance(value, dict) and depth:
            kept[key] = _numbers(value, depth - 1)
    return kept


def expect(entry: dict[str, Any], key: str, kind: type, place: str, *default: Any) -> Any:
    """The value of ``key``, which must be of type ``kind``; ``default`` when it is missing.

    Raises:
        ImportRefusedError: It is of another type, or missing without a default.
    """
    if key not in entry and default:
        return default[0]
    value = entry.get(key)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        # An int of any size: one too large for a float is no time either.
        value = float(value) if abs(value) < 2**53 else 0.0
    if not isinstance(value, kind):
        names = {str: "a text", bool: "true or false", float: "a number", list: "a list"}
        raise ImportRefusedError(f"{place}: “{key}” must be {names.get(kind, 'an object')}.")
    return value
