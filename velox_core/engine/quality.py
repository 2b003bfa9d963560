"""What a budget costs: the bounded cache's predictions against the full cache's, token by token."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx

from velox_core.engine.checks import check_cache
from velox_core.engine.conversation import Conversation
from velox_core.engine.events import CacheSettings, Event
from velox_core.engine.model_loader import LoadedModel
from velox_core.engine.pace import Pace
from velox_core.engine.prefill import prefill
from velox_core.engine.task_events import (
    CheckQualityRequest,
    QualityChecked,
    QualityPoint,
    QualityProgressed,
    RequestStopped,
)
from velox_core.errors import ModelError

_MIN_TOKENS = 8
_PROGRESS_PER_S = 5
# One token decoded costs about as much time as this many read in a prompt.
_DECODE_WEIGHT = 8


class _CancelledError(Exception):
    pass


class QualityCheck:
    """One check, on caches of its own; the conversation's are left alone."""

    def __init__(
        self,
        loaded: LoadedModel,
        request: CheckQualityRequest,
        emit: Callable[[Event], None],
        cancel: threading.Event,
    ) -> None:
        self._loaded = loaded
        self._request = request
        self._emit = emit
        self._cancel = cancel
        self._pace = Pace(_PROGRESS_PER_S)
        self._started = time.monotonic()
        self._done = self._total = 0

    def run(self) -> None:
        """Do it; the last event is terminal.

        Raises:
            VeloxError: With one plain sentence, when there is too little to compare.
        """
        request = self._request
        settings = [CacheSettings(budget, request.n_sink) for budget in request.budgets]
        for each in settings:
            check_cache(each)
        ids = self._loaded.template.render(request.turns).ids
        n_compared = min(request.n_tokens, len(ids) // 2)
        if n_compared < _MIN_TOKENS:
            raise ModelError("There is too little text to compare yet; chat a little first.")
        if len(ids) > self._loaded.info.context_window:
            raise ModelError(
                "This conversation is longer than the full cache's window, so there is nothing "
                "to compare with."
            )
        each_total = len(ids) + _DECODE_WEIGHT * n_compared
        self._total = len(ids) + each_total * len(settings)
        try:
            full = self._predict(ids, n_compared, replace(settings[0], bounded=False))
            points = [self._compare(ids, full, each) for each in settings]
        except _CancelledError:
            self._emit(RequestStopped(request.request_id))
            return
        self._emit(QualityChecked(request.request_id, tuple(points)))

    def _compare(self, ids: Sequence[int], full: mx.array, settings: CacheSettings) -> QualityPoint:
        n = full.shape[0]
        bounded = self._predict(ids, n, settings)
        targets = mx.array(list(ids[-n:]))[:, None]
        same: Any = mx.mean(mx.argmax(full, axis=-1) == mx.argmax(bounded, axis=-1))
        kl: Any = mx.mean(mx.sum(mx.exp(full) * (full - bounded), axis=-1))
        worse: Any = mx.mean(
            mx.take_along_axis(full, targets, axis=-1)
            - mx.take_along_axis(bounded, targets, axis=-1)
        )
        return QualityPoint(
            settings.budget,
            n,
            float(same.item()),
            max(float(kl.item()), 0.0),
            math.exp(float(worse.item())),
        )

    def _predict(self, ids: Sequence[int], n: int, settings: CacheSettings) -> mx.array:
        """Log-probabilities ``(n, vocabulary)`` float32 of the last ``n`` tokens."""
        model = self._loaded.model
        conversation = Conversation(model, self._loaded.info, settings)
        begin = self._done
        split = len(ids) - n - 1

        def told(position: int) -> None:
            self._done = begin + position
            self._tell()

        if not prefill(conversation, ids, split, self._cancel, told):
            raise _CancelledError
        # The full cache evicts nothing, so it may take the rest at once.
        step = 1 if settings.bounded else n
        rows = []
        for position in range(split, split + n, step):
            if self._cancel.is_set():
                raise _CancelledError
            tokens = mx.array([list(ids[position : position + step])])
            logits = model(tokens, cache=conversation.caches)[0].astype(mx.float32)
            rows.append(logits - mx.logsumexp(logits, axis=-1, keepdims=True))
            mx.eval(rows[-1], [cache.state for cache in conversation.caches])
            self._done += step * (_DECODE_WEIGHT if settings.bounded else 1)
            self._tell()
        return mx.concatenate(rows)

    def _tell(self) -> None:
        if not self._pace.due():
            return
        fraction = min(self._done / self._total, 1.0)
        spent = time.monotonic() - self._started
        left = spent / fraction - spent if fraction > 0 else 0.0
        self._emit(QualityProgressed(self._request.request_id, fraction, left))
