"""The engine as the GUI thread sees it: methods that return at once, signals that tell."""

import gc
import logging
import uuid
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.workers.engine_worker import EngineFactory, EngineWorker, make_engine
from velox_core.engine.events import (
    CacheMeasured,
    CacheSettings,
    CountTokensRequest,
    Event,
    LoadProgressed,
    LoadRequest,
    LoadStopped,
    MemoryMeasured,
    ModelLoaded,
    ModelUnloaded,
    NoticeGiven,
    PrefillProgressed,
    ReplyFinished,
    ReplyRequest,
    ReplyStopped,
    RequestFailed,
    SamplingParams,
    TerminalEvent,
    TextAdded,
    TokensCounted,
    Turn,
    UnloadRequest,
)
from velox_core.engine.live_events import CacheRefused, PinsRefused
from velox_core.engine.task_events import (
    ChatForgotten,
    CheckQualityRequest,
    ConversationReRead,
    ConversationResumed,
    EngineRequest,
    ForgetChatRequest,
    QualityChecked,
    QualityProgressed,
    RequestStopped,
    ReReadRequest,
    ResumeRequest,
)

logger = logging.getLogger(__name__)


class EngineClient(QObject):
    """Sends requests to the worker and gives out its events, one signal per event class.

    Each signal carries the event itself. Per request exactly one terminal event comes:
    ``model_loaded``, ``load_stopped``, ``model_unloaded``, ``reply_finished``, ``reply_stopped``,
    ``tokens_counted``, ``conversation_reread``, ``conversation_resumed``, ``quality_checked``,
    ``request_stopped`` (a task that was cancelled), ``chat_forgotten`` or ``request_failed``. A
    receiver ignores ids that it does not know (any more).
    """

    load_progressed = Signal(object)
    model_loaded = Signal(object)
    load_stopped = Signal(object)
    model_unloaded = Signal(object)
    prefill_progressed = Signal(object)
    text_added = Signal(object)
    cache_measured = Signal(object)
    memory_measured = Signal(object)
    notice_given = Signal(object)
    reply_finished = Signal(object)
    reply_stopped = Signal(object)
    tokens_counted = Signal(object)
    cache_refused = Signal(object)
    pins_refused = Signal(object)
    conversation_reread = Signal(object)
    conversation_resumed = Signal(object)
    quality_progressed = Signal(object)
    quality_checked = Signal(object)
    request_stopped = Signal(object)
    chat_forgotten = Signal(object)
    request_failed = Signal(object)

    def __init__(self, factory: EngineFactory = make_engine, parent: QObject | None = None) -> None:
        """Start the worker's thread; mlx is imported there with the first request."""
        super().__init__(parent)
        self._open: set[str] = set()
        self._closed = False
        self._signals = {
            LoadProgressed: self.load_progressed,
            ModelLoaded: self.model_loaded,
            LoadStopped: self.load_stopped,
            ModelUnloaded: self.model_unloaded,
            PrefillProgressed: self.prefill_progressed,
            TextAdded: self.text_added,
            CacheMeasured: self.cache_measured,
            MemoryMeasured: self.memory_measured,
            NoticeGiven: self.notice_given,
            ReplyFinished: self.reply_finished,
            ReplyStopped: self.reply_stopped,
            TokensCounted: self.tokens_counted,
            CacheRefused: self.cache_refused,
            PinsRefused: self.pins_refused,
            ConversationReRead: self.conversation_reread,
            ConversationResumed: self.conversation_resumed,
            QualityProgressed: self.quality_progressed,
            QualityChecked: self.quality_checked,
            RequestStopped: self.request_stopped,
            ChatForgotten: self.chat_forgotten,
            RequestFailed: self.request_failed,
        }
        self._worker = EngineWorker(factory)
        self._worker.event_emitted.connect(self._on_event, Qt.ConnectionType.QueuedConnection)
        self._worker.start()

    @property
    def busy(self) -> bool:
        """Whether a request has not had its terminal event yet."""
        return bool(self._open)

    def load(
        self, path: str, reuse_limit_nbytes: int = 2 << 30, resume_limit_nbytes: int = 0
    ) -> str:
        """Load the model in folder ``path``; returns the request's id."""
        self._leave_no_garbage()
        return self._submit(LoadRequest(_new_id(), path, reuse_limit_nbytes, resume_limit_nbytes))

    def unload(self) -> str:
        """Free the model; returns the request's id."""
        self._leave_no_garbage()
        return self._submit(UnloadRequest(_new_id()))

    def reply(
        self,
        chat_id: str,
        turns: Sequence[Turn],
        sampling: SamplingParams | None = None,
        cache: CacheSettings | None = None,
        reply_message_id: str = "",
    ) -> str:
        """Generate the reply to ``turns``; returns the request's id."""
        # Letters posted before now are older than the settings that this request carries.
        self._worker.mailbox.clear(chat_id)
        request = ReplyRequest(
            _new_id(),
            chat_id,
            tuple(turns),
            sampling or SamplingParams(),
            cache or CacheSettings(),
            reply_message_id,
        )
        return self._submit(request)

    def count_tokens(self, texts: Sequence[str]) -> str:
        """Count the tokens of ``texts`` when the engine is free; returns the request's id."""
        return self._submit(CountTokensRequest(_new_id(), tuple(texts)))

    def reread(
        self, chat_id: str, turns: Sequence[Turn], cache: CacheSettings | None = None
    ) -> str:
        """Read a conversation again, ``prefill_progressed`` telling; returns the request's id."""
        request = ReReadRequest(_new_id(), chat_id, tuple(turns), cache or CacheSettings())
        return self._submit(request)

    def resume(
        self, chat_id: str, turns: Sequence[Turn], cache: CacheSettings | None = None
    ) -> str:
        """Have a left chat's caches at hand, if there are any; returns the request's id."""
        request = ResumeRequest(_new_id(), chat_id, tuple(turns), cache or CacheSettings())
        return self._submit(request)

    @Slot(str)
    def forget_chat(self, chat_id: str) -> str:
        """Drop a deleted chat's caches, in memory and on disk; returns the request's id."""
        return self._submit(ForgetChatRequest(_new_id(), chat_id))

    def check_quality(
        self,
        chat_id: str,
        turns: Sequence[Turn],
        budgets: Sequence[int],
        n_sink: int = 4,
        n_tokens: int = 64,
    ) -> str:
        """Compare budgets with the full cache on this conversation; returns the request's id."""
        request = CheckQualityRequest(
            _new_id(), chat_id, tuple(turns), tuple(budgets), n_sink, n_tokens
        )
        return self._submit(request)

    def cancel(self, request_id: str) -> None:
        """Stop the request at its next token or chunk; it still gets its terminal event."""
        self._worker.cancel(request_id)

    def set_cache(self, chat_id: str, settings: CacheSettings) -> None:
        """Change a chat's budget and sinks now, in the middle of a reply too."""
        self._worker.mailbox.post_cache(chat_id, settings)
        self._worker.wake()

    def set_pins(self, chat_id: str, message_ids: Iterable[str]) -> None:
        """Protect exactly these messages of a chat from now on; turns carry their pins as well."""
        self._worker.mailbox.post_pins(chat_id, frozenset(message_ids))
        self._worker.wake()

    def watch_memory(self, chat_id: str | None) -> None:
        """Have ``memory_measured`` tell what is left of this chat, at once and while it grows."""
        self._worker.mailbox.watch(chat_id)
        self._worker.wake()

    @staticmethod
    def _leave_no_garbage() -> None:
        """Collect here first: freeing a model collects on the worker, where no Qt object may go."""
        gc.collect()

    def shutdown(self, timeout_s: float = 3.0) -> bool:
        """Cancel everything and end the worker; no signal comes after this.

        Returns:
            Whether the thread ended in time. If not, leave the process with ``os._exit``: a running
            QThread must not be destroyed.
        """
        self._leave_no_garbage()
        self._closed = True
        self._open.clear()
        self._worker.leave()
        ended = self._worker.wait(int(timeout_s * 1000))
        if not ended:
            logger.warning("the engine did not end within %.1f s", timeout_s)
        return ended

    def _submit(self, request: EngineRequest) -> str:
        self._open.add(request.request_id)
        self._worker.submit(request)
        return request.request_id

    @Slot(object)
    def _on_event(self, event: Event) -> None:
        if self._closed:
            return
        if isinstance(event, TerminalEvent):
            self._open.discard(event.request_id)
        self._signals[type(event)].emit(event)


def _new_id() -> str:
    return uuid.uuid4().hex
