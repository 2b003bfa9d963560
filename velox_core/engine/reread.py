"""Reading a conversation again, after the budget was raised or pins changed."""

import threading
from collections.abc import Callable

from velox_core.engine.conversation import Conversation
from velox_core.engine.events import Event, PrefillProgressed
from velox_core.engine.message_map import name_of
from velox_core.engine.model_loader import LoadedModel
from velox_core.engine.prefill import prefill
from velox_core.engine.task_events import ReReadRequest


def reread(
    loaded: LoadedModel,
    request: ReReadRequest,
    emit: Callable[[Event], None],
    cancel: threading.Event,
) -> Conversation | None:
    """Read all turns into fresh caches.

    Returns:
        The new conversation, or None when it was cancelled.

    Raises:
        VeloxError: With one plain sentence, when settings or turns do not fit.
    """
    rendered = loaded.template.render(request.turns)
    prompt = rendered.ids
    fresh = Conversation(loaded.model, loaded.info, request.cache)
    fresh.messages.replace(request.turns, rendered.spans)
    pinned = {name_of(request.turns, n) for n, turn in enumerate(request.turns) if turn.pinned}
    fresh.apply(request.cache, fresh.messages.positions(pinned))

    def told(position: int) -> None:
        emit(PrefillProgressed(request.request_id, position, len(prompt), 0))

    # A stop before the last reply, so that it can be had anew without reading all again.
    for stop in (max(rendered.reply_start - 1, 0), len(prompt)):
        if not prefill(fresh, prompt, stop, cancel, told):
            return None
        fresh.take_snapshot()
    return fresh
