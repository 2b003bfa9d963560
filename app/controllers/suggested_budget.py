"""The budget that suits a model on this computer, with the sum behind it."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.models.formats import format_bytes, format_count
from app.settings.table import BY_KEY
from velox_core.engine.events import ModelInfo

_LEAST = int(BY_KEY["memory.budget"].minimum or 64)
_SYSTEM_SHARE = 0.4  # of the memory: the system and other applications
_HEADROOM_SHARE = 0.2  # of what the system lets a model use: reading long prompts, peaks
_CACHE_SHARE = 0.1  # of what is free then: more makes each token slower and gives little
_MOST_CACHE_SHARE = 0.5  # of what is free: more leaves no room for a second chat
_WINDOW_SHARE = 0.25  # of what the model was trained on: beyond it there is little to gain


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A budget in tokens, the range around it that makes sense, and the sum as text."""

    budget: int
    lowest: int
    highest: int
    why: str


def suggest_budget(info: ModelInfo, total_nbytes: int) -> Suggestion:
    """Suggest powers of two that fit ``total_nbytes`` of memory; never above the model's window.

    An estimate: what a reply takes for a moment is in the headroom, not counted.
    """
    limit, headroom = _limit(info, total_nbytes)
    free = max(0, limit - headroom - info.weights_nbytes)
    tokens = free // max(1, info.bytes_per_token)
    window = info.context_window
    budget = _power_below(min(int(tokens * _CACHE_SHARE), int(window * _WINDOW_SHARE)), window)
    lowest = _power_below(budget // 4, window)
    highest = max(budget, _power_below(min(int(tokens * _MOST_CACHE_SHARE), window), window))
    return Suggestion(
        budget, lowest, highest, _why(info, limit, headroom, free, (lowest, budget, highest))
    )


def _limit(info: ModelInfo, total_nbytes: int) -> tuple[int, int]:
    """What a model may use in bytes, and what of it is left alone."""
    if info.working_set_nbytes:
        return info.working_set_nbytes, int(info.working_set_nbytes * _HEADROOM_SHARE)
    return total_nbytes, int(total_nbytes * _SYSTEM_SHARE)


def _power_below(most: int, window: int) -> int:
    """The greatest power of two up to ``most``, but no less than the least budget there is."""
    budget = _LEAST
    while budget * 2 <= most:
        budget *= 2
    return min(budget, window)


def _why(
    info: ModelInfo, limit: int, headroom: int, free: int, budgets: tuple[int, int, int]
) -> str:
    translate = QCoreApplication.translate
    if info.working_set_nbytes:
        begin = "An estimate for {name}: the system lets a model use {limit} (measured); "
        begin = translate("SuggestedBudget", begin)
    else:
        begin = "An estimate for {name}: this computer has {limit} of memory (measured); "
        begin = translate("SuggestedBudget", begin)
    text = translate(
        "SuggestedBudget",
        "{headroom} are left to the system and other applications and {weights} hold the model, "
        "so {free} are free.\n\n{budget} tokens at {token} each take {cache}: at most a tenth of "
        "what is free, and at most a quarter of the model's window of {window} tokens.\n\n"
        "From {lowest} to {highest} tokens make sense here: with fewer, replies get worse; more "
        "would take over half of what is free or pass the window.",
    )
    lowest, budget, highest = budgets
    return (begin + text).format(
        name=info.name,
        limit=format_bytes(limit),
        headroom=format_bytes(headroom),
        weights=format_bytes(info.weights_nbytes),
        free=format_bytes(free),
        budget=format_count(budget),
        token=format_bytes(info.bytes_per_token),
        cache=format_bytes(budget * info.bytes_per_token),
        window=format_count(info.context_window),
        lowest=format_count(lowest),
        highest=format_count(highest),
    )
