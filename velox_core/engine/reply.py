"""Generates one reply: reads what is new of the prompt, then decodes token by token."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import mlx.core as mx

from velox_core.engine.conversation import Conversation
from velox_core.engine.decode import RecordingModel, decode
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
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.memory import has_metal
from velox_core.engine.model_loader import LoadedModel
from velox_core.engine.pace import Pace
from velox_core.engine.reply_text import ReplyText
from velox_core.errors import ModelError, VeloxError

logger = logging.getLogger(__name__)

# Small steps let Stop act soon; without a GPU they are also faster (better use of its caches).
_PREFILL_STEP_CPU = 128
_PREFILL_STEP_METAL = 512
_TEXT_PER_S = 30
_STATS_PER_S = 10


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
        self._cancel = cancel
        self._text_pace = Pace(_TEXT_PER_S)
        self._stats_pace = Pace(_STATS_PER_S)
        self._pending = ""

    def run(self) -> None:
        """Do it; the last event is terminal.

        Raises:
            VeloxError: With one plain sentence, when the reply cannot be made.
        """
        started = time.monotonic()
        rendered = self._loaded.template.render(self._request.turns)
        prompt = rendered.ids
        room = self._room(len(prompt))
        self._conversation.apply(self._request.cache)
        self._conversation.take_snapshot()
        reused = self._conversation.resume(prompt)
        progress = _Progress(len(prompt), reused, started)
        if not self._prefill(prompt, reused):
            ids = tuple(prompt[rendered.reply_start :])
            text = self._request.turns[-1].content if ids else ""
            self._emit(ReplyStopped(self._request.request_id, text, ids, None))
            return
        self._conversation.take_snapshot()
        self._decode(prompt[-1], prompt[rendered.reply_start :], room, progress)

    def _room(self, n_prompt: int) -> int:
        """How many tokens may follow the prompt.

        Raises:
            ModelError: When the prompt alone is longer than the model can read.
        """
        window = self._loaded.info.context_window
        if n_prompt >= window:
            raise ModelError(
                f"This conversation has {n_prompt:,} tokens and the model reads at most "
                f"{window:,}; shorten the message or start a new chat."
            )
        return window - n_prompt

    def _prefill(self, prompt: list[int], reused: int) -> bool:
        """Read all but the last token; returns False when it was cancelled."""
        rid = self._request.request_id
        total = len(prompt) - reused
        step = _PREFILL_STEP_METAL if has_metal() else _PREFILL_STEP_CPU
        position = reused
        while True:
            self._emit(PrefillProgressed(rid, position - reused, total, reused))
            if self._cancel.is_set():
                return False
            self._apply_live_changes()
            chunk = prompt[position : min(position + step, len(prompt) - 1)]
            if not chunk:
                return True
            self._conversation.feed(chunk)
            mx.clear_cache()
            position += len(chunk)
            self._measure_if_due(0.0)

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
        conversation.next_logits = model.last_logits
        if reason == "length" and limit == room:
            self._emit(NoticeGiven(self._request.request_id, self._window_notice()))
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
        self._emit(CacheMeasured(rid, cache, progress.decode_tps))
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
        settings = self._mailbox.take_cache()
        if settings is None:
            return
        if settings.bounded != self._conversation.settings.bounded:
            # A rebuild; the next request carries the choice again.
            return
        try:
            self._conversation.apply(settings)
        except VeloxError as error:
            self._emit(NoticeGiven(self._request.request_id, str(error)))
            return
        cache = self._conversation.measure()
        self._emit(CacheMeasured(self._request.request_id, cache))

    def _measure_if_due(self, decode_tps: float) -> None:
        if self._stats_pace.due():
            cache = self._conversation.measure()
            self._emit(CacheMeasured(self._request.request_id, cache, decode_tps))

    def _window_notice(self) -> str:
        return (
            f"The model's window of {self._loaded.info.context_window:,} tokens is full; "
            "start a new chat to go on."
        )
