"""How fast this model read and wrote the last time, for estimates of longer tasks."""

from PySide6.QtCore import QObject, Slot

from app.workers.engine_client import EngineClient
from velox_core.engine.events import ModelLoaded, ReplyFinished

_LEAST_TOKENS = 64  # the speed of shorter prompts says little


class MeasuredSpeed(QObject):
    """Speeds in tokens a second; 0 until they were measured with the loaded model."""

    def __init__(self, client: EngineClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prefill_tps = self.decode_tps = 0.0
        client.reply_finished.connect(self._on_reply_finished)
        client.model_loaded.connect(self._on_model_loaded)

    @Slot(object)
    def _on_reply_finished(self, event: ReplyFinished) -> None:
        stats = event.stats
        if stats.prefilled_tokens >= _LEAST_TOKENS and stats.ttft_s > 0:
            self.prefill_tps = stats.prefilled_tokens / stats.ttft_s
        if stats.decode_tps > 0:
            self.decode_tps = stats.decode_tps

    @Slot(object)
    def _on_model_loaded(self, _event: ModelLoaded) -> None:
        self.prefill_tps = self.decode_tps = 0.0
