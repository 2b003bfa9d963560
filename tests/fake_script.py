"""What the fake engine says and how fast, and what it takes for tokens."""

from collections.abc import Callable
from dataclasses import dataclass

from velox_core.engine.events import ModelInfo, ReplyRequest

FAKE_INFO = ModelInfo(
    path="/fake/model",
    name="Fake 1B",
    n_layers=4,
    n_bounded_layers=4,
    n_kv_heads=2,
    head_dim=64,
    context_window=8192,
    weights_nbytes=1_000_000,
    bytes_per_token=2048,
)


@dataclass
class FakeScript:
    """What the fake engine does. Times in seconds; a rate of 0 is as fast as possible.

    Attributes:
        reply: The reply's text, or a function of the request that gives it. A token is one
            whitespace-separated word with the space before it.
        tokens_per_s: Decode speed. Text comes in at most 30 events a second, as in the real engine.
        load_s: How long loading takes.
        prefill_s: How long reading one prompt takes.
        load_error: When set, every load fails with this sentence.
        reply_error: When set, every reply fails with this sentence after half of its text.
        notice: When set, each reply gives this notice first.
    """

    reply: str | Callable[[ReplyRequest], str] = "Hello from the fake engine."
    tokens_per_s: float = 0.0
    load_s: float = 0.0
    prefill_s: float = 0.0
    load_error: str = ""
    reply_error: str = ""
    notice: str = ""
    info: ModelInfo = FAKE_INFO


def split_tokens(text: str) -> list[str]:
    """Words with the space before them; joined again they are ``text``."""
    tokens: list[str] = []
    for char in text:
        if not tokens or (char.isspace() and not tokens[-1].isspace()):
            tokens.append(char)
        else:
            tokens[-1] += char
    return tokens
