"""How fast this model read and wrote the last time, for estimates of longer tasks."""

from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Slot

from app.workers.engine_client import EngineClient
from velox_core.engine.events import ModelLoaded, ReplyFinished

_LEAST_TOKENS = 64  # the speed of shorter prompts says little, so it only counts for want of better
_FEWEST_TOKENS = 8


class MeasuredSpeed(QObject):
    """Speeds in tokens a second; 0 until they were measured with the loaded model."""

    def __init__(self, client: EngineClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prefill_tps = self.decode_tps = 0.0
        self._good_prefill = self._measured_prefill = self._measured_decode = False
        client.reply_finished.connect(self._on_reply_finished)
        client.model_loaded.connect(self._on_model_loaded)

    def recall(self, stored: Iterable[Mapping[str, Any]]) -> None:
        """Take what is not measured yet from the stats of stored replies, the newest last."""
        for stats in stored:
            try:
                n, ttft_s = int(stats["prefilled_tokens"]), float(stats["ttft_s"])
                decode_tps = float(stats["decode_tps"])
            except (KeyError, TypeError, ValueError):
                continue
            self._take_prefill(n, ttft_s, measured=False)
            if not self._measured_decode and decode_tps > 0:
                self.decode_tps = decode_tps

    @Slot(object)
    def _on_reply_finished(self, event: ReplyFinished) -> None:
        stats = event.stats
        self._take_prefill(stats.prefilled_tokens, stats.ttft_s, measured=True)
        if stats.decode_tps > 0:
            self.decode_tps = stats.decode_tps
            self._measured_decode = True

    def _take_prefill(self, n_tokens: int, seconds: float, *, measured: bool) -> None:
        """Take a prompt's speed, unless a better one is known; ``measured`` says just now."""
        is_good = n_tokens >= _LEAST_TOKENS
        if seconds <= 0 or n_tokens < _FEWEST_TOKENS:
            return
        if self._measured_prefill and not (measured and is_good):
            return
        if is_good or not self._good_prefill:
            self.prefill_tps = n_tokens / seconds
        self._good_prefill = self._good_prefill or is_good
        self._measured_prefill = self._measured_prefill or (measured and is_good)

    @Slot(object)
    def _on_model_loaded(self, _event: ModelLoaded) -> None:
        self.prefill_tps = self.decode_tps = 0.0
        self._good_prefill = self._measured_prefill = self._measured_decode = False
