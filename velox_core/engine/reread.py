"""Reading a conversation again, or going on with one that was left."""

import contextlib
import threading
from collections.abc import Callable

from velox_core.engine.conversation import Conversation
from velox_core.engine.events import Event, PrefillProgressed
from velox_core.engine.message_map import pinned_names
from velox_core.engine.model_loader import LoadedModel
from velox_core.engine.prefill import prefill
from velox_core.engine.task_events import ReReadRequest, ResumeRequest
from velox_core.errors import VeloxError


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
    fresh.apply(request.cache, fresh.messages.positions(pinned_names(request.turns)))

    def told(position: int) -> None:
        emit(PrefillProgressed(request.request_id, position, len(prompt), 0))

    # A stop before the last reply, so that it can be had anew without reading all again.
    for stop in (max(rendered.reply_start - 1, 0), len(prompt)):
        if not prefill(fresh, prompt, stop, cancel, told):
            return None
        fresh.take_snapshot()
    return fresh


def resume(loaded: LoadedModel, request: ResumeRequest, conversation: Conversation) -> None:
    """Say what a conversation that was left holds, and bring it in line with its settings.

    Where the turns are not what was read (a message was changed since), nothing is said about
    them, and the next reply finds out what is still right. What does not fit is left to it too.
    """
    rendered = loaded.template.render(request.turns)
    n = min(len(rendered.ids), len(conversation.ids))
    if rendered.ids[:n] != conversation.ids[:n]:
        conversation.messages.replace((), ())
        return
    conversation.messages.replace(request.turns, rendered.spans)
    if request.cache.bounded == conversation.settings.bounded:
        pins = conversation.messages.positions(pinned_names(request.turns))
        with contextlib.suppress(VeloxError):
            conversation.apply(request.cache, pins)
