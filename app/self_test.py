"""``velox --self-test``: does this installation really generate? Works in the packaged app too."""

import sys
import time

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.console import call_on_interrupt, leave, make_application
from app.workers.engine_client import EngineClient
from velox_core.engine.events import (
    CacheSettings,
    LoadStopped,
    ModelLoaded,
    ModelUnloaded,
    ReplyFinished,
    ReplyStopped,
    RequestFailed,
    SamplingParams,
    Turn,
)
from velox_core.models.starter import find_starter

_FACT = Turn("user", "What is the capital of France? Answer in one sentence.")
_LONG = Turn("user", "Tell me about the sea.")
_CACHE = CacheSettings(budget=64, n_sink=4)
_N_LONG = 48
_TIMEOUT_S = 300


def run_self_test() -> int:
    """Load the starter model, answer, generate past the budget, unload, shut down.

    Returns:
        0 when all of it went well, else 1.
    """
    started = time.monotonic()
    folder = find_starter()
    if folder is None:
        report("FAILED: the starter model is not there; run 'make run' once.")
        return 1
    application = make_application()
    client = EngineClient()
    test = _SelfTest(client)
    timer = call_on_interrupt(test.interrupt)
    test.start(str(folder))
    status = application.exec()
    timer.stop()
    if not client.shutdown(timeout_s=10):
        report("FAILED: the engine did not end in time.")
        return leave(client, 1)
    took = time.monotonic() - started
    report(f"Self-test passed in {took:.1f} s." if status == 0 else "Self-test FAILED.")
    return status


def report(line: str) -> None:
    """One line of the report; a packaged application may have no terminal to print it on."""
    if sys.stdout is not None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


class _SelfTest(QObject):
    """The steps, each started by the end of the one before."""

    def __init__(self, client: EngineClient) -> None:
        super().__init__()
        self._client = client
        self._fact_asked = False
        client.model_loaded.connect(self._on_model_loaded)
        client.reply_finished.connect(self._on_reply_finished)
        client.model_unloaded.connect(self._on_model_unloaded)
        client.request_failed.connect(self._on_request_failed)
        client.load_stopped.connect(self._on_stopped)
        client.reply_stopped.connect(self._on_stopped)
        self._deadline = QTimer(singleShot=True, interval=_TIMEOUT_S * 1000)
        self._deadline.timeout.connect(self._on_deadline)

    def start(self, folder: str) -> None:
        """Begin with loading the model in ``folder``."""
        self._deadline.start()
        self._client.load(folder)

    @Slot()
    def interrupt(self) -> None:
        """Stop the test; it counts as failed."""
        self._end("it was interrupted")

    def _check(self, passed: bool, what: str) -> bool:
        report(f"{'ok' if passed else 'FAILED'}: {what}")
        if not passed:
            QCoreApplication.exit(1)
        return passed

    def _end(self, reason: str) -> None:
        self._check(False, reason)

    @Slot(object)
    def _on_model_loaded(self, event: ModelLoaded) -> None:
        info = event.info
        bounded = (
            f"{info.name} is loaded, {info.n_bounded_layers} of {info.n_layers} layers bounded"
        )
        if self._check(info.n_bounded_layers > 0, bounded):
            self._client.reply("fact", [_FACT], SamplingParams(temperature=0, max_tokens=24))

    @Slot(object)
    def _on_reply_finished(self, event: ReplyFinished) -> None:
        stats = event.stats
        if not self._fact_asked:
            self._fact_asked = True
            if self._check("Paris" in event.text, f"it answers: {event.text.strip()!r}"):
                sampling = SamplingParams(temperature=0, max_tokens=_N_LONG)
                self._client.reply("long", [_LONG], sampling, _CACHE)
            return
        seen, kept = stats.cache.tokens_seen, stats.cache.tokens_kept
        passed = kept <= _CACHE.budget < seen and bool(event.text.strip())
        what = f"{kept} of {seen} tokens kept with a budget of {_CACHE.budget}"
        if self._check(passed, f"{what}, {stats.decode_tps:.1f} tokens/s"):
            self._client.unload()

    @Slot(object)
    def _on_model_unloaded(self, _event: ModelUnloaded) -> None:
        report("ok: the model is unloaded")
        QCoreApplication.exit(0)

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        self._end(event.message)

    @Slot(object)
    def _on_stopped(self, _event: LoadStopped | ReplyStopped) -> None:
        self._end("it was stopped")

    @Slot()
    def _on_deadline(self) -> None:
        self._end(f"no answer within {_TIMEOUT_S} s")
