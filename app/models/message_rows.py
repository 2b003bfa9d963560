"""Stored messages turned into what the transcript is fed with."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.models.formats import format_count, format_seconds
from app.models.message_view import MessageState, MessageView
from app.storage.types import MessageRecord


def message_view(record: MessageRecord, *, show_stats: bool = True) -> MessageView:
    """One stored message as a person sees it, when no reply to it is being made."""
    stats = record.stats
    is_reply = record.role == "assistant"
    thought = stats.get("thought_s")
    return MessageView(
        id=record.id,
        role=record.role,
        text=record.content,
        state=_state(record),
        stats=stats_line(stats) if is_reply and show_stats else (),
        stats_detail=stats_detail(stats) if is_reply else "",
        version=record.version,
        version_count=record.n_versions,
        pinned=record.pinned,
        thought_s=float(thought) if isinstance(thought, int | float) else None,
        error=str(stats.get("error", "")),
    )


def stats_line(stats: Mapping[str, Any]) -> tuple[str, ...]:
    """The short figures under a reply: speed and time to first token."""
    parts = []
    if _number(stats, "decode_tps") > 0:
        parts.append(_tr("{tps} tok/s").format(tps=f"{_number(stats, 'decode_tps'):.1f}"))
    if _number(stats, "ttft_s") > 0:
        parts.append(_tr("first token {time}").format(time=format_seconds(stats["ttft_s"])))
    return tuple(parts)


def stats_detail(stats: Mapping[str, Any]) -> str:
    """All that was counted for a reply, one figure a line."""
    if "prompt_tokens" not in stats:
        return ""
    lines = [
        _tr("Prompt: {n} tokens").format(n=_count(stats, "prompt_tokens")),
        _tr("Still in the cache: {n}").format(n=_count(stats, "reused_tokens")),
        _tr("Read anew: {n}").format(n=_count(stats, "prefilled_tokens")),
        _tr("Generated: {n}").format(n=_count(stats, "generated_tokens")),
    ]
    if reason := _reason(str(stats.get("stop_reason", ""))):
        lines.append(_tr("Ended: {reason}").format(reason=reason))
    return "\n".join(lines)


def _state(record: MessageRecord) -> MessageState:
    if record.state in ("partial", "stopped"):
        return "stopped"
    if record.state == "failed":
        return "failed"
    return "cut" if record.stats.get("stop_reason") == "length" else "done"


def _reason(reason: str) -> str:
    return {
        "eos": _tr("the model was done"),
        "length": _tr("the longest reply was reached"),
        "stop_string": _tr("a stop text came"),
        "cancelled": _tr("you stopped it"),
    }.get(reason, "")


def _number(stats: Mapping[str, Any], key: str) -> float:
    value = stats.get(key)
    return float(value) if isinstance(value, int | float) else 0.0


def _count(stats: Mapping[str, Any], key: str) -> str:
    return format_count(int(_number(stats, key)))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Message", text)
