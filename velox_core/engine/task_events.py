"""Requests and events of longer tasks on a conversation: reading it again, checking quality.

They belong to the contract in :mod:`velox_core.engine.events` and follow its rules.
"""

from dataclasses import dataclass, field

from velox_core.engine.events import CacheSettings, CacheStats, Event, Request, TerminalEvent, Turn


@dataclass(frozen=True, slots=True)
class ReReadRequest:
    """Read a conversation again into fresh caches; the old ones are kept until that is done."""

    request_id: str
    chat_id: str
    turns: tuple[Turn, ...]
    cache: CacheSettings = field(default_factory=CacheSettings)


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """Have the caches of a chat that was left at hand, so that its next reply begins at once."""

    request_id: str
    chat_id: str
    turns: tuple[Turn, ...]
    cache: CacheSettings = field(default_factory=CacheSettings)


@dataclass(frozen=True, slots=True)
class CheckQualityRequest:
    """Compare bounded caches with the full one on the last ``n_tokens`` of a conversation.

    ``budgets`` are tokens per layer, in the order in which they are tried.
    """

    request_id: str
    chat_id: str
    turns: tuple[Turn, ...]
    budgets: tuple[int, ...]
    n_sink: int = 4
    n_tokens: int = 64


@dataclass(frozen=True, slots=True)
class ForgetChatRequest:
    """Drop a chat's caches, in memory and on disk, because it was deleted."""

    request_id: str
    chat_id: str


EngineRequest = Request | ReReadRequest | ResumeRequest | CheckQualityRequest | ForgetChatRequest


@dataclass(frozen=True, slots=True)
class QualityPoint:
    """One budget against the full cache, over the same ``n_tokens`` tokens.

    Attributes:
        budget: Tokens kept in each layer.
        n_tokens: How many predictions were compared.
        top_agreement: Share of equal likeliest tokens, 0 to 1.
        mean_kl: Mean Kullback-Leibler divergence from the full cache's prediction, in nats.
        perplexity_ratio: Bounded perplexity ÷ full perplexity; 1 is equal, above is worse.
    """

    budget: int
    n_tokens: int
    top_agreement: float
    mean_kl: float
    perplexity_ratio: float


@dataclass(frozen=True, slots=True)
class RequestStopped(TerminalEvent):
    """A task was cancelled; everything is as it was before."""


@dataclass(frozen=True, slots=True)
class ChatForgotten(TerminalEvent):
    """Nothing of the chat is left in the engine."""


@dataclass(frozen=True, slots=True)
class ConversationReRead(TerminalEvent):
    """The conversation is in fresh caches."""

    stats: CacheStats


@dataclass(frozen=True, slots=True)
class ConversationResumed(TerminalEvent):
    """What is at hand of chat ``chat_id``; ``stats`` is None when nothing is: it must be read."""

    chat_id: str
    stats: CacheStats | None


@dataclass(frozen=True, slots=True)
class QualityProgressed(Event):
    """A part of a quality check is done; ``seconds_left`` is an estimate from what was measured."""

    fraction: float
    seconds_left: float


@dataclass(frozen=True, slots=True)
class QualityChecked(TerminalEvent):
    """What each budget costs, in the order of the request."""

    points: tuple[QualityPoint, ...]
