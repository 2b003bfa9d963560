"""An engine without a model: the same interface as the real one, scripted and deterministic."""

import threading
import time
from collections.abc import Callable
from itertools import accumulate

from tests.fake_script import FAKE_INFO, FakeScript, split_tokens
from velox_core.engine.events import (
    CacheMeasured,
    CacheSettings,
    CacheStats,
    CountTokensRequest,
    Event,
    LoadProgressed,
    LoadRequest,
    LoadStopped,
    MemoryMeasured,
    MessageMemory,
    ModelLoaded,
    ModelUnloaded,
    NoticeGiven,
    PrefillProgressed,
    ReplyFinished,
    ReplyRequest,
    ReplyStats,
    ReplyStopped,
    RequestFailed,
    StopReason,
    TextAdded,
    TokensCounted,
    Turn,
    UnloadRequest,
)
from velox_core.engine.live_events import CacheRefused, PinsRefused
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.task_events import (
    ChatForgotten,
    CheckQualityRequest,
    ConversationReRead,
    ConversationResumed,
    EngineRequest,
    ForgetChatRequest,
    QualityChecked,
    QualityPoint,
    QualityProgressed,
    RequestStopped,
    ReReadRequest,
    ResumeRequest,
)

__all__ = ["FAKE_INFO", "FakeEngine", "FakeScript", "fake_engine_factory", "split_tokens"]


def fake_engine_factory(
    script: FakeScript | None = None,
) -> Callable[[Callable[[Event], None], Mailbox], "FakeEngine"]:
    """A factory for ``EngineClient(factory)``."""
    return lambda emit, mailbox: FakeEngine(emit, mailbox, script or FakeScript())


class FakeEngine:
    """Streams the script's text and counts like an engine whose tokens are words."""

    def __init__(self, emit: Callable[[Event], None], mailbox: Mailbox, script: FakeScript) -> None:
        self._emit = emit
        self._mailbox = mailbox
        self._script = script
        self._loaded = False
        self._seen: dict[str, int] = {}
        self._cache = CacheSettings()
        self._last_chat = ""
        self._pins: frozenset[str] = frozenset()
        self._turns: tuple[Turn, ...] = ()

    def handle(self, request: EngineRequest, cancel: threading.Event) -> None:
        match request:
            case LoadRequest():
                self._load(request, cancel)
            case UnloadRequest(request_id=request_id):
                self._loaded = False
                self._seen.clear()
                self._emit(ModelUnloaded(request_id))
            case ReplyRequest():
                self._reply(request, cancel)
            case CountTokensRequest(request_id=request_id, texts=texts):
                self._emit(TokensCounted(request_id, tuple(len(split_tokens(t)) for t in texts)))
            case ForgetChatRequest(request_id=request_id, chat_id=chat_id):
                self._seen.pop(chat_id, None)
                self._emit(ChatForgotten(request_id))
            case ReReadRequest():
                self._reread(request, cancel)
            case ResumeRequest(request_id=request_id, chat_id=chat_id):
                seen = self._seen.get(chat_id)
                if seen is not None:
                    self._cache, self._turns = request.cache, request.turns
                    self._last_chat = chat_id
                    self._tell_memory(request_id, chat_id)
                stats = None if seen is None else self._stats(seen)
                self._emit(ConversationResumed(request_id, chat_id, stats))
            case CheckQualityRequest(request_id=request_id, budgets=budgets, n_tokens=n):
                self._emit(QualityProgressed(request_id, 0.5, 1.0))
                if cancel.wait(self._script.prefill_s):
                    self._emit(RequestStopped(request_id))
                    return
                points = tuple(QualityPoint(budget, n, 0.9, 0.05, 1.02) for budget in budgets)
                self._emit(QualityChecked(request_id, points))

    def apply_live_changes(self) -> None:
        chat_id = self._last_chat
        if not chat_id:
            return
        if self._take_settings(chat_id):
            stats = self._stats(self._seen.get(chat_id, 0))
            self._emit(CacheMeasured("", stats, chat_id=chat_id))
        self._tell_memory("", chat_id)

    def close(self) -> None:
        self._loaded = False

    def _load(self, request: LoadRequest, cancel: threading.Event) -> None:
        self._loaded = False
        for step in range(4):
            self._emit(LoadProgressed(request.request_id, step / 4, "Reading weights"))
            if cancel.wait(self._script.load_s / 4):
                self._emit(LoadStopped(request.request_id))
                return
        if self._script.load_error:
            self._emit(RequestFailed(request.request_id, self._script.load_error))
            return
        self._loaded = True
        self._emit(ModelLoaded(request.request_id, self._script.info))

    def _reread(self, request: ReReadRequest, cancel: threading.Event) -> None:
        rid, total = request.request_id, sum(len(split_tokens(t.content)) for t in request.turns)
        for part in range(1, 5):
            if cancel.wait(self._script.prefill_s / 4):
                self._emit(RequestStopped(rid))
                return
            self._emit(PrefillProgressed(rid, total * part // 4, total, 0))
        self._cache, self._seen[request.chat_id] = request.cache, total
        self._last_chat, self._turns = request.chat_id, request.turns
        self._tell_memory(rid, request.chat_id)
        self._emit(ConversationReRead(rid, self._stats(total)))

    def _tell_memory(self, request_id: str, chat_id: str) -> None:
        """Sinks and the newest words are held whole, the rest is gone."""
        if self._mailbox.watched_chat != chat_id:
            return
        seen = self._seen.get(chat_id, 0)
        kept = self._stats(seen).tokens_kept
        messages, position = [], 0
        for number, turn in enumerate(self._turns):
            words = split_tokens(turn.content)
            positions = tuple(range(position, position + len(words)))
            ends = tuple(accumulate(map(len, words)))
            starts = (0, *ends[:-1]) if ends else ()
            new = seen - kept + self._cache.n_sink
            shares = tuple(float(p < self._cache.n_sink or p >= new) for p in positions)
            if kept == seen:
                shares = (1.0,) * len(words)
            name = turn.message_id or f"#{number}"
            messages.append(MessageMemory(name, positions, starts, ends, shares))
            position += len(words)
        start = self._cache.budget if kept < seen else None
        system = next((turn.content for turn in self._turns if turn.role == "system"), "")
        self._emit(MemoryMeasured(request_id, chat_id, tuple(messages), start, system))

    def _reply(self, request: ReplyRequest, cancel: threading.Event) -> None:
        rid = request.request_id
        if not self._loaded:
            self._emit(RequestFailed(rid, "No model is loaded; choose one first."))
            return
        self._cache = request.cache
        self._last_chat = request.chat_id
        self._turns = request.turns
        self._pins = frozenset(turn.message_id for turn in request.turns if turn.pinned)
        if self._script.notice:
            self._emit(NoticeGiven(rid, self._script.notice))
        started = time.monotonic()
        prompt = sum(len(split_tokens(turn.content)) for turn in request.turns)
        reused = min(self._seen.get(request.chat_id, 0), max(prompt - 1, 0))
        new = prompt - reused
        for part in range(1, 5):
            if cancel.wait(self._script.prefill_s / 4):
                self._emit(ReplyStopped(rid, "", (), None))
                return
            self._emit(PrefillProgressed(rid, new * part // 4, new, reused))
        ttft = time.monotonic() - started
        self._decode(request, cancel, prompt, reused, ttft)

    def _decode(
        self,
        request: ReplyRequest,
        cancel: threading.Event,
        prompt: int,
        reused: int,
        ttft: float,
    ) -> None:
        rid, script = request.request_id, self._script
        text = script.reply if isinstance(script.reply, str) else script.reply(request)
        tokens = split_tokens(text)[: request.sampling.max_tokens]
        interval = 1 / script.tokens_per_s if script.tokens_per_s else 0.0
        started = sent_at = measured_at = time.monotonic()
        done, pending = 0, ""
        reason: StopReason = "eos"
        for index, token in enumerate(tokens):
            delay = started + (index + 1) * interval - time.monotonic()
            if cancel.wait(delay) if delay > 0 else cancel.is_set():
                reason = "cancelled"
                break
            done, pending = index + 1, pending + token
            if script.reply_error and done * 2 >= len(tokens):
                self._emit(TextAdded(rid, pending))
                self._emit(RequestFailed(rid, script.reply_error))
                return
            now = time.monotonic()
            if now - sent_at >= 1 / 30:
                self._emit(TextAdded(rid, pending))
                pending, sent_at = "", now
            if self._take_settings(request.chat_id) or now - measured_at >= 0.1:
                tps = done / max(now - started, 1e-9)
                self._emit(CacheMeasured(rid, self._stats(prompt + done), tps, request.chat_id))
                measured_at = now
        if pending:
            self._emit(TextAdded(rid, pending))
        seen = self._seen[request.chat_id] = prompt + done
        tps = done / max(time.monotonic() - started, 1e-9)
        stats = ReplyStats(
            prompt, reused, prompt - reused, done, ttft, tps, reason, self._stats(seen)
        )
        self._emit(CacheMeasured(rid, stats.cache, tps, request.chat_id))
        said = Turn("assistant", "".join(tokens[:done]), message_id=request.reply_message_id)
        self._turns = (*request.turns, said)
        self._tell_memory(rid, request.chat_id)
        kind = ReplyStopped if reason == "cancelled" else ReplyFinished
        self._emit(kind(rid, "".join(tokens[:done]), tuple(range(done)), stats))

    def _take_settings(self, chat_id: str) -> bool:
        pins, settings = self._mailbox.take_pins(chat_id), self._mailbox.take_cache(chat_id)
        if pins is not None and self._n_pinned(pins) + self._cache.n_sink >= self._cache.budget:
            self._emit(PinsRefused("", chat_id, f"{self._n_pinned(pins)} pinned do not fit."))
        elif pins is not None:
            self._pins = pins
        if settings is None or settings.bounded != self._cache.bounded:
            return False
        if self._n_pinned(self._pins) + settings.n_sink >= settings.budget:
            told = f"{self._n_pinned(self._pins)} pinned are too many."
            self._emit(CacheRefused("", chat_id, told, self._cache))
            return False
        self._cache = settings
        return True

    def _n_pinned(self, pins: frozenset[str]) -> int:
        return sum(len(split_tokens(t.content)) for t in self._turns if t.message_id in pins)

    def _stats(self, seen: int) -> CacheStats:
        kept = min(seen, self._cache.budget) if self._cache.bounded else seen
        per_token = self._script.info.bytes_per_token
        return CacheStats(
            tokens_seen=seen,
            tokens_kept=kept,
            budget=self._cache.budget,
            n_sink=self._cache.n_sink,
            bounded=self._cache.bounded,
            cache_nbytes=kept * per_token,
            full_cache_nbytes=seen * per_token,
            compression_ratio=seen / kept if kept else 1.0,
            memory_nbytes=500_000_000,
        )
