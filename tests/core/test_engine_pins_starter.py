"""What pinning is for: the real model still knows a pinned code after much other text."""

import threading

import mlx.core as mx
import pytest

from tests.core.engine_runner import EngineRunner
from velox_core.engine.conversation import Conversation
from velox_core.engine.events import CacheSettings, Turn
from velox_core.engine.prefill import prefill

BUDGET = 64
CODE = " QX-7319"
FILLER = (
    "The harbour lies to the north of the town. Ships come in the morning and leave at night. "
    "Gulls follow them, and children count the masts. In winter the water is grey and calm. "
)
TURNS = (
    Turn("user", f"Remember this: the code of my safe is{CODE}.", message_id="secret"),
    Turn("assistant", "I will remember the code."),
    Turn("user", FILLER * 4),
    Turn("assistant", "That is a fine town."),
    Turn("user", "What is the code of my safe?"),
    Turn("assistant", "The code of your safe is"),
)


def log_probability(loaded, settings: CacheSettings, *, pinned: bool) -> float:
    """Of the code's tokens, after the whole conversation."""
    rendered = loaded.template.render(TURNS)
    conversation = Conversation(loaded.model, loaded.info, settings)
    conversation.messages.replace(TURNS, rendered.spans)
    pins = conversation.messages.positions({"secret"}) if pinned else frozenset()
    conversation.apply(settings, pins)
    target = loaded.template.encoder.encode_run(CODE).ids
    stop = len(rendered.ids) - 1
    assert stop > 3 * BUDGET
    prefill(conversation, rendered.ids, stop, threading.Event(), lambda position: None)
    total = 0.0
    for token, following in zip([rendered.ids[-1], *target], target, strict=False):
        logits = loaded.model(mx.array([[token]]), cache=conversation.caches)[0, -1]
        total += (logits - mx.logsumexp(logits))[following].item()
    return total


@pytest.mark.starter
def test_pinned_code_is_known_almost_as_with_the_full_cache(starter_path) -> None:
    runner = EngineRunner()
    runner.load(starter_path)
    loaded = runner.engine._loaded
    bounded = CacheSettings(BUDGET, 4)
    full = log_probability(loaded, CacheSettings(bounded=False), pinned=False)
    pinned = log_probability(loaded, bounded, pinned=True)
    forgotten = log_probability(loaded, bounded, pinned=False)
    assert pinned > full - 3
    assert forgotten < full - 10
    assert forgotten < pinned - 10
