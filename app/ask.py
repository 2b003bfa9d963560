"""``velox ask``: a conversation without a window, on the same engine."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Slot

from app.console import call_on_interrupt, leave, make_application
from app.workers.engine_client import EngineClient
from velox_core.engine.events import (
    CacheSettings,
    ModelLoaded,
    NoticeGiven,
    ReplyFinished,
    ReplyStats,
    ReplyStopped,
    RequestFailed,
    SamplingParams,
    TextAdded,
    Turn,
)
from velox_core.errors import ModelError, VeloxError
from velox_core.models.discover import resolve_model
from velox_core.models.starter import find_starter

_FAILED = 2
_INTERRUPTED = 130
_CHAT = "ask"


def ask(
    prompts: Sequence[str],
    *,
    model: str | None,
    system: str,
    sampling: SamplingParams,
    cache: CacheSettings,
    as_json: bool,
) -> int:
    """Answer ``prompts`` one after the other on stdout; the exit status.

    Raises:
        VeloxError: When the model is not found or a prompt is empty.
    """
    folder = resolve_model(model) if model else starter_folder()
    prompts = [read_standard_input() if prompt == "-" else prompt for prompt in prompts]
    application = make_application()
    client = EngineClient()
    session = _Session(client, prompts, system, sampling, cache, as_json)
    timer = call_on_interrupt(session.interrupt)
    session.start(str(folder))
    status = application.exec()
    timer.stop()
    return leave(client, status)


def starter_folder() -> Path:
    """The starter model's folder.

    Raises:
        ModelError: When it is not there.
    """
    folder = find_starter()
    if folder is None:
        raise ModelError(
            "The starter model is not on this computer yet; run 'make run' once, or name a model "
            "with --model."
        )
    return folder


def read_standard_input() -> str:
    """A prompt from a pipe or a file; a command line takes far shorter ones only.

    Raises:
        VeloxError: When it is empty or no text.
    """
    try:
        text = sys.stdin.read() if sys.stdin is not None else ""
    except UnicodeDecodeError:
        raise VeloxError("The standard input is not text.") from None
    if not text.strip():
        raise VeloxError("The prompt is empty; write what you want to ask.")
    return text


class _Session(QObject):
    """Loads the model, then asks prompt after prompt."""

    def __init__(
        self,
        client: EngineClient,
        prompts: Sequence[str],
        system: str,
        sampling: SamplingParams,
        cache: CacheSettings,
        as_json: bool,
    ) -> None:
        super().__init__()
        self._client = client
        self._prompts = list(prompts)
        self._turns = [Turn("system", system)] if system.strip() else []
        self._sampling = sampling
        self._cache = cache
        self._as_json = as_json
        self._request_id = ""
        self._interrupted = False
        client.model_loaded.connect(self._on_model_loaded)
        client.load_stopped.connect(self._on_stopped)
        client.text_added.connect(self._on_text_added)
        client.notice_given.connect(self._on_notice_given)
        client.reply_finished.connect(self._on_reply_finished)
        client.reply_stopped.connect(self._on_stopped)
        client.request_failed.connect(self._on_request_failed)

    def start(self, folder: str) -> None:
        """Load the model; everything else follows."""
        self._request_id = self._client.load(folder)

    def interrupt(self) -> None:
        """Stop what runs now; asked a second time, leave without waiting."""
        if self._interrupted:
            QCoreApplication.exit(_INTERRUPTED)
        self._interrupted = True
        self._client.cancel(self._request_id)

    def _ask_next(self) -> None:
        if not self._prompts:
            QCoreApplication.exit(0)
            return
        self._turns.append(Turn("user", self._prompts.pop(0)))
        self._request_id = self._client.reply(_CHAT, self._turns, self._sampling, self._cache)

    @Slot(object)
    def _on_model_loaded(self, event: ModelLoaded) -> None:
        for notice in event.info.notices:
            _note(notice)
        self._ask_next()

    @Slot(object)
    def _on_text_added(self, event: TextAdded) -> None:
        if not self._as_json:
            _write(event.text)

    @Slot(object)
    def _on_notice_given(self, event: NoticeGiven) -> None:
        _note(event.message)

    @Slot(object)
    def _on_reply_finished(self, event: ReplyFinished) -> None:
        self._turns.append(Turn("assistant", event.text, event.token_ids))
        if self._as_json:
            _write(json.dumps(_as_record(event.text, event.stats), ensure_ascii=False) + "\n")
        else:
            _write("\n\n" if self._prompts else "\n")
        self._ask_next()

    @Slot(object)
    def _on_stopped(self, event: object) -> None:
        if isinstance(event, ReplyStopped) and event.stats is not None and self._as_json:
            _write(json.dumps(_as_record(event.text, event.stats), ensure_ascii=False))
        _write("\n")
        QCoreApplication.exit(_INTERRUPTED)

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        _note(event.message)
        QCoreApplication.exit(_FAILED)


def _as_record(reply: str, stats: ReplyStats) -> dict[str, object]:
    """The JSON object of one turn; bytes and seconds, tokens per layer."""
    return {
        "reply": reply,
        "prompt_tokens": stats.prompt_tokens,
        "reused_tokens": stats.reused_tokens,
        "prefilled_tokens": stats.prefilled_tokens,
        "generated_tokens": stats.generated_tokens,
        "tokens_seen": stats.cache.tokens_seen,
        "tokens_kept": stats.cache.tokens_kept,
        "cache_bytes": stats.cache.cache_nbytes,
        "full_cache_bytes": stats.cache.full_cache_nbytes,
        "compression_ratio": round(stats.cache.compression_ratio, 4),
        "ttft_s": round(stats.ttft_s, 4),
        "decode_tps": round(stats.decode_tps, 2),
        "stop_reason": stats.stop_reason,
    }


def _write(text: str) -> None:
    """Print a part of a reply at once; a closed pipe ends the conversation."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would complain once more when it flushes at its end.
        sys.stdout = open("/dev/null", "w")  # noqa: SIM115, PTH123
        QCoreApplication.exit(1)


def _note(message: str) -> None:
    sys.stderr.write(message + "\n")
    sys.stderr.flush()
