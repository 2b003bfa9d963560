"""Generates one reply: reads what is new of the prompt, then decodes token by token."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from velox_core.engine.conversation import Conversation, measure_memory
from velox_core.engine.decode import RecordingModel, decode, finish_step
from velox_core.engine.events import (
    CacheMeasured,
    Event,
    NoticeGiven,
    PrefillProgressed,
    ReplyFinished,
    ReplyRequest,
    ReplyStats,
    ReplyStopped,
    StopReason,
    TextAdded,
)
from velox_core.engine.live_changes import LiveChanges
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.message_map import name_of, pinned_names
from velox_core.engine.model_loader import LoadedModel
from velox_core.engine.pace import Pace
from velox_core.engine.prefill import prefill
from velox_core.engine.prompt_builder import Span
from velox_core.engine.reply_text import ReplyText
from velox_core.engine.window_notes import bounded_note, full_note, note_limit
from velox_core.errors import ModelError, VeloxError

logger = logging.getLogger(__name__)

_TEXT_PER_S = 30
_STATS_PER_S = 10
_MEMORY_PER_S = 2
_MEMORY_SHARE = 0.005  # of the time decoding takes, about


@dataclass(slots=True)
class _Progress:
    """What is counted while a reply is made; times from ``time.monotonic``."""

    prompt_tokens: int
    reused: int
    started: float
    first_at: float = 0.0
    last_at: float = 0.0
    n_generated: int = 0

    def count_token(self) -> None:
        self.last_at = time.monotonic()
        self.first_at = self.first_at or self.last_at
        self.n_generated += 1

    @property
    def decode_tps(self) -> float:
        """Tokens a second after the first one, which belongs to the prefill."""
        span = self.last_at - self.first_at
        return (self.n_generated - 1) / span if span > 0 else 0.0


class Reply:
    """One reply from request to terminal event."""

    def __init__(
        self,
        loaded: LoadedModel,
        conversation: Conversation,
        request: ReplyRequest,
        emit: Callable[[Event], None],
        mailbox: Mailbox,
        cancel: threading.Event,
    ) -> None:
        self._loaded = loaded
        self._conversation = conversation
        self._request = request
        self._emit = emit
        self._mailbox = mailbox
        self._live_changes = LiveChanges(mailbox, emit)
        self._cancel = cancel
        self._text_pace = Pace(_TEXT_PER_S)
        self._stats_pace = Pace(_STATS_PER_S)
        self._memory_pace = Pace(_MEMORY_PER_S)
        self._reply_start = 0
        self._pending = ""

    def run(self) -> None:
        """Do it; the last event is terminal.

        Raises:
            VeloxError: With one plain sentence, when the reply cannot be made.
        """
        started = time.monotonic()
        rendered = self._loaded.template.render(self._request.turns)
        prompt = rendered.ids
        self._reply_start = rendered.reply_start
        room = self._room(len(prompt))
        self._conversation.messages.replace(self._request.turns, rendered.spans)
        self._apply_settings()
        self._conversation.take_snapshot()
        reused = self._conversation.resume(prompt)
        progress = _Progress(len(prompt), reused, started)
        if not self._prefill(prompt, reused):
            if self._is_watched():
                self._tell_memory()
            ids = tuple(prompt[rendered.reply_start :])
            text = self._request.turns[-1].content if ids else ""
            self._emit(ReplyStopped(self._request.request_id, text, ids, None))
            return
        self._conversation.take_snapshot()
        self._decode(prompt[-1], prompt[rendered.reply_start :], room, progress)

    def _apply_settings(self) -> None:
        """The request's budget, sinks and pins; pins that do not fit are left out with a notice."""
        conversation, turns = self._conversation, self._request.turns
        pins = pinned_names(turns)
        # The system prompt is kept unless told otherwise, so it gives way to what was pinned.
        own = pins - {name_of(turns, n) for n, turn in enumerate(turns) if turn.role == "system"}
        problem = ""
        for names in (pins, own, frozenset[str]()):
            try:
                conversation.apply(self._request.cache, conversation.messages.positions(names))
                break
            except VeloxError as error:
                problem = problem or str(error)
        if problem:
            self._emit(NoticeGiven(self._request.request_id, problem))

    def _room(self, n_prompt: int) -> int:
        """How many tokens may follow the prompt: with a bounded cache as many as are wanted.

        Raises:
            ModelError: When the prompt alone is longer than the model can read.
        """
        window = self._loaded.info.context_window
        if self._request.cache.bounded and self._loaded.info.n_bounded_layers:
            return self._request.sampling.max_tokens + 1
        if n_prompt >= window:
            raise ModelError(
                f"This conversation has {n_prompt:,} tokens and the model reads at most "
                f"{window:,} with the full cache; start a new chat or switch to the bounded cache."
            )
        return window - n_prompt

    def _prefill(self, prompt: list[int], reused: int) -> bool:
        """Read all but the last token; returns False when it was cancelled."""

        def told(position: int) -> None:
            done, total = position - reused, len(prompt) - reused
            self._emit(PrefillProgressed(self._request.request_id, done, total, reused))
            self._apply_live_changes()
            self._measure_if_due(0.0)
            self._note_window()
            if self._is_watched() and self._memory_pace.due():
                self._tell_memory()

        return prefill(self._conversation, prompt, len(prompt) - 1, self._cancel, told)

    def _decode(
        self, last_token: int, continued: list[int], room: int, progress: _Progress
    ) -> None:
        sampling = self._request.sampling
        stop = (*sampling.stop, *self._loaded.template.stop_strings)
        prefix = self._loaded.template.reply_prefix
        text = ReplyText(self._loaded.tokenizer.detokenizer, stop, continued, prefix)
        ids = list(continued)
        limit = min(sampling.max_tokens, room)
        reason: StopReason = "length"
        conversation = self._conversation
        model = RecordingModel(self._loaded.model, conversation.next_logits)
        tokens = decode(
            model,
            conversation.caches,
            last_token,
            sampling,
            limit=limit,
            vocabulary=len(self._loaded.tokenizer),
            context=conversation.ids,
        )
        with closing(tokens):
            for token in tokens:
                if not progress.n_generated:
                    if conversation.next_logits is None:
                        conversation.ids.append(last_token)
                    self._tell_prefilled(progress)
                conversation.ids.append(token)
                progress.count_token()
                if token in self._loaded.eos_ids:
                    reason = "eos"
                    break
                ids.append(token)
                self._add_text(text.add(token))
                if text.stopped:
                    reason = "stop_string"
                    break
                if self._cancel.is_set():
                    reason = "cancelled"
                    break
                self._apply_live_changes()
                self._measure_if_due(progress.decode_tps)
                self._note_window()
                self._tell_memory_if_due(ids, text)
        conversation.next_logits = model.last_logits
        if reason == "length" and limit == room:
            note = full_note(self._loaded.info.context_window)
            self._emit(NoticeGiven(self._request.request_id, note))
        self._finish(text, tuple(ids), reason, progress)

    def _finish(
        self, text: ReplyText, ids: tuple[int, ...], reason: StopReason, progress: _Progress
    ) -> None:
        rid = self._request.request_id
        self._pending += text.finish()
        if self._pending:
            self._emit(TextAdded(rid, self._pending))
        cache = self._conversation.measure()
        stats = ReplyStats(
            prompt_tokens=progress.prompt_tokens,
            reused_tokens=progress.reused,
            prefilled_tokens=progress.prompt_tokens - progress.reused,
            generated_tokens=progress.n_generated,
            ttft_s=progress.first_at - progress.started,
            decode_tps=progress.decode_tps,
            stop_reason=reason,
            cache=cache,
        )
        self._emit(CacheMeasured(rid, cache, progress.decode_tps, self._request.chat_id))
        self._place_reply(list(ids), text.text)
        if self._is_watched():
            self._tell_memory()
        kind = ReplyStopped if reason == "cancelled" else ReplyFinished
        self._emit(kind(rid, text.text, ids, stats))

    def _add_text(self, text: str) -> None:
        self._pending += text
        if self._pending and self._text_pace.due():
            self._emit(TextAdded(self._request.request_id, self._pending))
            self._pending = ""

    def _tell_prefilled(self, progress: _Progress) -> None:
        total = progress.prompt_tokens - progress.reused
        self._emit(PrefillProgressed(self._request.request_id, total, total, progress.reused))

    def _apply_live_changes(self) -> None:
        rid, chat = self._request.request_id, self._request.chat_id
        if self._live_changes.apply(rid, chat, self._conversation):
            self._emit(CacheMeasured(rid, self._conversation.measure(), chat_id=chat))

    def _is_watched(self) -> bool:
        return self._mailbox.watched_chat == self._request.chat_id

    def _place_reply(self, ids: list[int], text: str) -> None:
        """Note where the reply lies so far."""
        known = tuple(ids)
        starts, ends = self._loaded.template.reply_ranges(known, text, grows=True)
        span = Span(-1, self._reply_start, self._reply_start + len(ids), starts, ends)
        last = len(self._request.turns) - 1
        continued = self._request.turns[last].role == "assistant"
        name = name_of(self._request.turns, last) if continued else ""
        name = self._request.reply_message_id or name or f"#{last + 1}"
        self._conversation.messages.set_reply(name, span)

    def _tell_memory(self) -> None:
        rid, chat = self._request.request_id, self._request.chat_id
        self._emit(measure_memory(rid, chat, self._conversation))

    def _tell_memory_if_due(self, ids: list[int], text: ReplyText) -> None:
        if not self._is_watched() or not self._memory_pace.due():
            return
        # Measured from here, telling costs what it adds, not what the next token takes anyway.
        finish_step()
        began = time.monotonic()
        self._place_reply(ids, text.text)
        self._tell_memory()
        self._memory_pace.rest((time.monotonic() - began) / _MEMORY_SHARE)

    def _measure_if_due(self, decode_tps: float) -> None:
        if self._stats_pace.due():
            cache = self._conversation.measure()
            request = self._request
            self._emit(CacheMeasured(request.request_id, cache, decode_tps, request.chat_id))

    def _note_window(self) -> None:
        """Say once when a bounded conversation passes the model's window."""
        conversation, window = self._conversation, self._loaded.info.context_window
        if conversation.window_noted or not conversation.settings.bounded:
            return
        is_endless = conversation.is_endless
        if len(conversation.ids) > note_limit(window, is_endless=is_endless):
            conversation.window_noted = True
            note = bounded_note(window, is_endless=is_endless)
            self._emit(NoticeGiven(self._request.request_id, note))
