"""The engine: does one request after the other, on the one thread that owns mlx."""

import gc
import logging
import threading
from collections.abc import Callable

from velox_core.blas import import_mlx_lm
from velox_core.engine.cache_store import CacheStore
from velox_core.engine.checks import check_reply
from velox_core.engine.events import (
    CacheMeasured,
    CountTokensRequest,
    Event,
    LoadProgressed,
    LoadRequest,
    LoadStopped,
    ModelLoaded,
    ModelUnloaded,
    ReplyRequest,
    RequestFailed,
    TerminalEvent,
    TokensCounted,
    UnloadRequest,
)
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.task_events import (
    ChatForgotten,
    CheckQualityRequest,
    ConversationReRead,
    ConversationResumed,
    EngineRequest,
    ForgetChatRequest,
    RequestStopped,
    ReReadRequest,
    ResumeRequest,
)
from velox_core.errors import ModelError, VeloxError

import_mlx_lm()

import mlx.core as mx  # noqa: E402

from velox_core.engine.conversation import Conversation, measure_memory  # noqa: E402
from velox_core.engine.live_changes import LiveChanges  # noqa: E402
from velox_core.engine.model_loader import LoadCancelledError, LoadedModel, load_folder  # noqa: E402
from velox_core.engine.quality import QualityCheck  # noqa: E402
from velox_core.engine.reply import Reply  # noqa: E402
from velox_core.engine.reread import reread, resume  # noqa: E402
from velox_core.engine.shelf import Shelf  # noqa: E402

logger = logging.getLogger(__name__)

_NO_MODEL = "No model is loaded; choose one first."
_OUT_OF_MEMORY = (
    "There is not enough memory for this; close other applications, lower the budget or choose "
    "a smaller model."
)
_UNEXPECTED = "The model could not go on; the log file has the details. Try again."


class Engine:
    """Made, used and closed on one thread. Emits exactly one terminal event per request."""

    def __init__(self, emit: Callable[[Event], None], mailbox: Mailbox) -> None:
        """Begin without a model.

        Args:
            emit: Takes each event; called on the engine's thread.
            mailbox: Where live changes come from.
        """
        self._emit_event = emit
        self._mailbox = mailbox
        self._loaded: LoadedModel | None = None
        self._shelf: Shelf | None = None
        self._live_changes = LiveChanges(mailbox, emit)
        self._answered = True

    def handle(self, request: EngineRequest, cancel: threading.Event) -> None:
        """Do ``request``; returns after its terminal event and never raises."""
        self._answered = False
        try:
            match request:
                case LoadRequest():
                    self._load(request, cancel)
                case UnloadRequest():
                    self._unload()
                    self._emit(ModelUnloaded(request.request_id))
                case ReplyRequest():
                    self._reply(request, cancel)
                case CountTokensRequest():
                    self._count_tokens(request)
                case ReReadRequest():
                    self._reread(request, cancel)
                case ResumeRequest():
                    self._resume(request)
                case ForgetChatRequest():
                    self._forget(request)
                case CheckQualityRequest():
                    QualityCheck(self._at_hand()[0], request, self._emit, cancel).run()
        except LoadCancelledError:
            self._unload()
            self._emit(LoadStopped(request.request_id))
        except VeloxError as error:
            self._fail(request, str(error))
        except Exception as error:
            logger.exception("%s failed", type(request).__name__)
            self._fail(request, _OUT_OF_MEMORY if _is_out_of_memory(error) else _UNEXPECTED)

    def apply_live_changes(self) -> None:
        """Take over what was changed while no request runs, and tell what is watched."""
        shelf = self._shelf
        if shelf is None:
            return
        for chat_id in self._mailbox.chats():
            conversation = shelf.get(chat_id)
            if conversation is None:
                # The chat's next request carries it all.
                self._mailbox.clear(chat_id)
                continue
            self._live_changes.apply("", chat_id, conversation)
            self._emit_event(CacheMeasured("", conversation.measure(), chat_id=chat_id))
        watched = self._mailbox.watched_chat
        if watched is not None and (conversation := shelf.get(watched)) is not None:
            self._emit_event(measure_memory("", watched, conversation))

    def close(self) -> None:
        """Free everything; the thread's last act, or the process aborts at its end."""
        self._unload()
        mx.clear_streams()

    def _load(self, request: LoadRequest, cancel: threading.Event) -> None:
        self._unload()
        mx.set_cache_limit(request.reuse_limit_nbytes)

        def tell(fraction: float, stage: str) -> None:
            self._emit(LoadProgressed(request.request_id, fraction, stage))

        try:
            self._loaded = load_folder(request.path, tell, cancel)
        except BaseException:
            self._unload()
            raise
        self._shelf = Shelf(self._loaded, request.resume_limit_nbytes)
        # A full collection holds up every thread, the window's too; with mlx, transformers and a
        # model in memory it would walk over 80,000 objects that stay anyway.
        gc.freeze()
        self._emit(ModelLoaded(request.request_id, self._loaded.info))

    def _unload(self) -> None:
        if self._shelf is not None:
            self._shelf.close()
        self._shelf = self._loaded = None
        gc.unfreeze()
        gc.collect()
        mx.clear_cache()

    def _reply(self, request: ReplyRequest, cancel: threading.Event) -> None:
        loaded, shelf = self._at_hand()
        check_reply(request)
        conversation = shelf.take(request.chat_id, request.cache)
        try:
            Reply(loaded, conversation, request, self._emit, self._mailbox, cancel).run()
        except VeloxError:
            shelf.put(request.chat_id, conversation)
            raise
        # Not after any other error: it may have left the caches half fed.
        shelf.put(request.chat_id, conversation)

    def _count_tokens(self, request: CountTokensRequest) -> None:
        encoder = self._at_hand()[0].template.encoder
        counts = tuple(len(encoder.encode_run(text).ids) for text in request.texts)
        self._emit(TokensCounted(request.request_id, counts))

    def _reread(self, request: ReReadRequest, cancel: threading.Event) -> None:
        loaded, shelf = self._at_hand()
        conversation = reread(loaded, request, self._emit, cancel)
        if conversation is None:
            self._emit(RequestStopped(request.request_id))
            return
        shelf.replace(request.chat_id, conversation)
        self._tell_memory(request, conversation)
        self._emit(ConversationReRead(request.request_id, conversation.measure()))

    def _resume(self, request: ResumeRequest) -> None:
        loaded, shelf = self._at_hand()
        conversation = shelf.take(request.chat_id, request.cache)
        if not conversation.ids:
            self._emit(ConversationResumed(request.request_id, request.chat_id, None))
            return
        try:
            resume(loaded, request, conversation)
        finally:
            shelf.put(request.chat_id, conversation)
        self._tell_memory(request, conversation)
        stats = conversation.measure()
        self._emit(ConversationResumed(request.request_id, request.chat_id, stats))

    def _tell_memory(
        self, request: ReReadRequest | ResumeRequest, conversation: Conversation
    ) -> None:
        if self._mailbox.watched_chat == request.chat_id:
            self._emit(measure_memory(request.request_id, request.chat_id, conversation))

    def _forget(self, request: ForgetChatRequest) -> None:
        if self._shelf is None:
            CacheStore().forget(request.chat_id)
        else:
            self._shelf.forget(request.chat_id)
        self._emit(ChatForgotten(request.request_id))

    def _at_hand(self) -> tuple[LoadedModel, Shelf]:
        """The loaded model and its conversations.

        Raises:
            ModelError: When there is none.
        """
        if self._loaded is None or self._shelf is None:
            raise ModelError(_NO_MODEL)
        return self._loaded, self._shelf

    def _emit(self, event: Event) -> None:
        self._answered = self._answered or isinstance(event, TerminalEvent)
        self._emit_event(event)

    def _fail(self, request: EngineRequest, message: str) -> None:
        if not self._answered:
            self._emit(RequestFailed(request.request_id, message))


def _is_out_of_memory(error: Exception) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or "out of memory" in text or "malloc" in text
