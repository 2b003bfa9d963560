"""Reading a prompt into caches, step by step."""

import threading
from collections.abc import Callable, Sequence

import mlx.core as mx

from velox_core.engine.conversation import Conversation
from velox_core.engine.memory import has_metal

# Small steps let Stop act soon; without a GPU they are also faster (better use of its caches).
_STEP_CPU = 128
_STEP_METAL = 512


def prefill(
    conversation: Conversation,
    prompt: Sequence[int],
    stop: int,
    cancel: threading.Event,
    told: Callable[[int], None],
) -> bool:
    """Read ``prompt`` from where the conversation stands up to position ``stop``.

    Args:
        conversation: Holds a beginning of the prompt.
        prompt: All token ids.
        stop: Position behind the last token to read.
        cancel: Looked at before each step.
        told: Called before each step and at the end with the position reached.

    Returns:
        False when it was cancelled; the conversation then holds what was read until then.
    """
    step = _STEP_METAL if has_metal() else _STEP_CPU
    while True:
        position = len(conversation.ids)
        told(position)
        if cancel.is_set():
            return False
        if position >= stop:
            return True
        conversation.feed(prompt[position : min(position + step, stop)])
        mx.clear_cache()
