"""The budget that suits a model on this computer, with the sum behind it."""

from PySide6.QtCore import QCoreApplication

from app.models.formats import format_bytes, format_count, format_memory
from app.settings.table import BY_KEY
from velox_core.engine.events import ModelInfo

_LEAST = int(BY_KEY["memory.budget"].minimum or 64)
_SYSTEM_SHARE = 0.4  # of the memory: the system and other applications
_CACHE_SHARE = 0.1  # of what is free then: more makes each token slower and gives little
_WINDOW_SHARE = 0.25  # of what the model was trained on: beyond it there is little to gain


def suggest_budget(info: ModelInfo, total_nbytes: int) -> tuple[int, str]:
    """Return a budget in tokens, a power of two, and the sum behind it as text.

    An estimate: what reading a long prompt takes for a moment is not in the sum.
    """
    free = max(0, int(total_nbytes * (1 - _SYSTEM_SHARE)) - info.weights_nbytes)
    per_token = max(1, info.bytes_per_token)
    most = min(int(free * _CACHE_SHARE) // per_token, int(info.context_window * _WINDOW_SHARE))
    budget = _LEAST
    while budget * 2 <= most:
        budget *= 2
    text = QCoreApplication.translate(
        "SuggestedBudget",
        "An estimate for {name}: of {total} memory, {system} stay with the system and {weights} "
        "hold the model, so {free} are free. {budget} tokens at {token} each take {cache}. That is "
        "at most a tenth of what is free, and at most a quarter of the model's window of "
        "{window} tokens.",
    )
    return budget, text.format(
        name=info.name,
        total=format_memory(total_nbytes),
        system=format_bytes(int(total_nbytes * _SYSTEM_SHARE)),
        weights=format_bytes(info.weights_nbytes),
        free=format_bytes(free),
        budget=format_count(budget),
        token=format_bytes(per_token),
        cache=format_bytes(budget * per_token),
        window=format_count(info.context_window),
    )
