"""What crosses the thread border: requests to the engine and events from it.

Frozen dataclasses of plain Python values only: no mx.array, generator or model object, so that each
can be read on any thread.

Every request carries an id chosen by the caller. For each id the engine emits any number of
progress events and exactly one :class:`TerminalEvent`.
"""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["system", "user", "assistant"]
StopReason = Literal["eos", "length", "stop_string", "cancelled"]


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """``budget`` and ``n_sink`` are tokens per layer; ``bounded=False`` never evicts anything."""

    budget: int = 2048
    n_sink: int = 4
    bounded: bool = True


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is chosen. Zero switches ``top_k`` and ``min_p`` off."""

    temperature: float = 0.7
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation as the engine reads it.

    Attributes:
        role: Who speaks.
        content: The raw text.
        token_ids: For a reply, the ids as they were generated (re-tokenising its text gives other
            ids). Empty when unknown.
        message_id: The caller's name for the message.
        pinned: Whether the cache must keep all of this message's tokens.
    """

    role: Role
    content: str
    token_ids: tuple[int, ...] = ()
    message_id: str = ""
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Load the model in folder ``path``; the model loaded before is freed first.

    ``reuse_limit_nbytes``: freed memory that mlx may keep ready for its next arrays;
    ``resume_limit_nbytes``: disk that the caches of left chats may take, 0 to save none.
    """

    request_id: str
    path: str
    reuse_limit_nbytes: int = 2 << 30
    resume_limit_nbytes: int = 0


@dataclass(frozen=True, slots=True)
class UnloadRequest:
    """Free the model and its caches."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """Generate the reply to ``turns``; the last turn is the user's, or a reply to be continued.

    ``reply_message_id`` is the caller's name for the reply, as :class:`MemoryMeasured` uses it.
    """

    request_id: str
    chat_id: str
    turns: tuple[Turn, ...]
    sampling: SamplingParams = field(default_factory=SamplingParams)
    cache: CacheSettings = field(default_factory=CacheSettings)
    reply_message_id: str = ""


@dataclass(frozen=True, slots=True)
class CountTokensRequest:
    """Count the tokens of ``texts`` with the loaded model's tokenizer."""

    request_id: str
    texts: tuple[str, ...]


Request = LoadRequest | UnloadRequest | ReplyRequest | CountTokensRequest


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A loaded model. ``bytes_per_token`` is what one token costs in a full KV cache,
    ``working_set_nbytes`` what the system lets a model use, measured; 0 when it does not tell.
    """

    path: str
    name: str
    n_layers: int
    n_bounded_layers: int
    n_kv_heads: int
    head_dim: int
    context_window: int
    weights_nbytes: int
    bytes_per_token: int
    notices: tuple[str, ...] = ()
    working_set_nbytes: int = 0


@dataclass(frozen=True, slots=True)
class CacheStats:
    """Measured state of the KV cache: tokens and bytes, over all layers.

    ``cache_nbytes`` counts every array that is held on to; ``full_cache_nbytes`` is what
    mlx-lm's unbounded cache would hold for the same tokens, in its steps of 256 rows;
    ``compression_ratio`` compares rows, tokens seen ÷ tokens kept; ``memory_nbytes`` is the
    process's measured memory.
    """

    tokens_seen: int
    tokens_kept: int
    budget: int
    n_sink: int
    bounded: bool
    cache_nbytes: int
    full_cache_nbytes: int
    compression_ratio: float
    memory_nbytes: int


@dataclass(frozen=True, slots=True)
class MessageMemory:
    """What is left of one message, token by token; all tuples are equally long.

    Attributes:
        message_id: The caller's name for it.
        positions: Each token's position in the conversation.
        starts: Index of each token's first character in the message's content.
        ends: Index behind its last character; tokens in one character share its range.
        shares: The part of all bounded layers and KV heads that still hold it, 0 to 1.
    """

    message_id: str
    positions: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ReplyStats:
    """One reply, counted. ``ttft_s`` is seconds to the first token, ``decode_tps`` tokens/s."""

    prompt_tokens: int
    reused_tokens: int
    prefilled_tokens: int
    generated_tokens: int
    ttft_s: float
    decode_tps: float
    stop_reason: StopReason
    cache: CacheStats


@dataclass(frozen=True, slots=True)
class Event:
    """Something the engine tells about the request ``request_id``."""

    request_id: str


@dataclass(frozen=True, slots=True)
class TerminalEvent(Event):
    """The last event of a request."""


@dataclass(frozen=True, slots=True)
class LoadProgressed(Event):
    """Loading goes on; ``fraction`` in 0..1, ``stage`` a short plain phrase."""

    fraction: float
    stage: str


@dataclass(frozen=True, slots=True)
class ModelLoaded(TerminalEvent):
    """The model is ready."""

    info: ModelInfo


@dataclass(frozen=True, slots=True)
class LoadStopped(TerminalEvent):
    """Loading was cancelled; no model is loaded."""


@dataclass(frozen=True, slots=True)
class ModelUnloaded(TerminalEvent):
    """The model is freed."""


@dataclass(frozen=True, slots=True)
class PrefillProgressed(Event):
    """``done`` of ``total`` new prompt tokens are read; ``reused`` were already in the cache."""

    done: int
    total: int
    reused: int


@dataclass(frozen=True, slots=True)
class TextAdded(Event):
    """More text of the reply, batched to at most 30 events a second."""

    text: str


@dataclass(frozen=True, slots=True)
class CacheMeasured(Event):
    """The state of a chat's cache, at most 10 times a second, and after live changes.

    ``decode_tps`` is 0.0 during prefill. Outside of any request ``request_id`` is empty.
    """

    stats: CacheStats
    decode_tps: float = 0.0
    chat_id: str = ""


@dataclass(frozen=True, slots=True)
class MemoryMeasured(Event):
    """What the cache still holds of chat ``chat_id``, at most twice a second while asked for.

    ``eviction_start`` is the position of the token at which eviction began, None before;
    ``system_prompt`` the one that was read. Outside of any request ``request_id`` is empty.
    """

    chat_id: str
    messages: tuple[MessageMemory, ...]
    eviction_start: int | None
    system_prompt: str = ""


@dataclass(frozen=True, slots=True)
class NoticeGiven(Event):
    """Something a person should know, in one plain sentence; the request goes on."""

    message: str


@dataclass(frozen=True, slots=True)
class ReplyFinished(TerminalEvent):
    """The reply is complete. Text and ids of a continued one are those of the whole reply.

    Only ``TextAdded`` brings the new text alone. A stop string is in the ids, not in the text.
    """

    text: str
    token_ids: tuple[int, ...]
    stats: ReplyStats


@dataclass(frozen=True, slots=True)
class ReplyStopped(TerminalEvent):
    """The reply was cancelled, after what is here; ``stats`` is None before the first token."""

    text: str
    token_ids: tuple[int, ...]
    stats: ReplyStats | None


@dataclass(frozen=True, slots=True)
class TokensCounted(TerminalEvent):
    """The number of tokens of each text, in the order of the request."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RequestFailed(TerminalEvent):
    """The request failed; ``message`` is one plain sentence that says what to do."""

    message: str
