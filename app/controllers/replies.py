"""The replies that are being made: asked for, shown, saved while they grow, and ended."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.controllers.chat_desk import ChatDesk
from app.controllers.chat_settings import ReplyPlan
from app.models.message_rows import message_view
from app.models.message_view import MessageState, MessageView
from app.storage.reply_saver import ReplySaver
from app.storage.types import MessageRecord
from app.storage.types import MessageState as SavedState
from app.widgets.transcript import TranscriptView
from app.workers.engine_client import EngineClient
from velox_core.engine.events import (
    PrefillProgressed,
    ReplyFinished,
    ReplyStats,
    ReplyStopped,
    RequestFailed,
    TextAdded,
    Turn,
)

_MIN_PROMPT_SHOWN = 256


@dataclass(slots=True)
class _Live:
    """A reply from its request to its terminal event. ``record`` is as it stood before."""

    chat_id: str
    record: MessageRecord
    saver: ReplySaver
    parts: list[str] = field(default_factory=list)
    status: str = ""
    thought_s: float | None = None
    begun: bool = False

    @property
    def text(self) -> str:
        return self.record.content + "".join(self.parts)


class Replies(QObject):
    """Knows every reply in the making by its request; late events of forgotten ones are ignored.

    Signals:
        ended: a reply of the chat got its final state, a ``MessageRecord``.
        saved: the final state of a reply of the chat is in the store.
        busy_changed: whether the chat has a reply in the making.
    """

    ended = Signal(str, object)
    saved = Signal(str)
    busy_changed = Signal(str, bool)

    def __init__(
        self,
        client: EngineClient,
        desk: ChatDesk,
        transcript: TranscriptView,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._desk = desk
        self._transcript = transcript
        self.show_stats = True
        self._live: dict[str, _Live] = {}
        client.prefill_progressed.connect(self._on_prefill_progressed)
        client.text_added.connect(self._on_text_added)
        client.reply_finished.connect(self._on_reply_finished)
        client.reply_stopped.connect(self._on_reply_stopped)
        client.request_failed.connect(self._on_request_failed)
        transcript.thought_timed.connect(self._on_thought_timed)

    def start(self, record: MessageRecord, turns: Sequence[Turn], plan: ReplyPlan) -> None:
        """Ask for the reply ``record``, which is saved already."""
        status = ""
        if self._live:
            status = self.tr("Waiting for another reply…")
        elif self._client.busy:
            status = self.tr("Waiting for the model…")
        request_id = self._client.reply(record.chat_id, turns, plan.sampling, plan.cache, record.id)
        live = _Live(record.chat_id, record, self._desk.reply_saver(record.id))
        self._live[request_id] = live
        self._transcript.update_message(self.view_of(record))
        self._transcript.begin_stream(record.id)
        self._show_status(live, status)
        self.busy_changed.emit(record.chat_id, True)

    def stop(self, chat_id: str) -> None:
        """End the chat's replies; what they have is kept. One that still waits ends at once."""
        for request_id, live in list(self._live.items()):
            if live.chat_id == chat_id:
                if live.begun:
                    self._client.cancel(request_id)
                else:
                    self.stop_message(live.record.id)

    def stop_message(self, message_id: str) -> None:
        """End one reply at once: what it has is saved, later events of it are ignored."""
        for request_id, live in list(self._live.items()):
            if live.record.id == message_id:
                self._client.cancel(request_id)
                self._end(request_id, live.text, (), None, "stopped")

    def forget_chat(self, chat_id: str) -> None:
        """Have the engine drop what it holds of a deleted chat, on disk too."""
        self._client.forget_chat(chat_id)

    def stop_chat(self, chat_id: str) -> None:
        """End all replies of a chat at once, as :meth:`stop_message` does."""
        for live in list(self._live.values()):
            if live.chat_id == chat_id:
                self.stop_message(live.record.id)

    def stop_all(self) -> None:
        """End everything; the application is about to quit."""
        for live in list(self._live.values()):
            self.stop_message(live.record.id)

    def is_busy(self, chat_id: str) -> bool:
        """Whether the chat has a reply in the making."""
        return any(live.chat_id == chat_id for live in self._live.values())

    def is_live(self, message_id: str) -> bool:
        """Whether the message is a reply in the making."""
        return any(live.record.id == message_id for live in self._live.values())

    def view_of(self, record: MessageRecord) -> MessageView:
        """The message as it stands now, with the text that has come so far."""
        view = message_view(record, show_stats=self.show_stats)
        for live in self._live.values():
            if live.record.id == record.id:
                state: MessageState = "streaming" if live.text else "waiting"
                return dataclasses.replace(view, text=live.text, state=state, stats=(), error="")
        return view

    def resume_views(self, message_ids: Iterable[str]) -> None:
        """Tell the transcript, just filled anew, which of its messages still grow."""
        for live in self._live.values():
            if live.record.id in message_ids:
                self._transcript.begin_stream(live.record.id)
                self._show_status(live, live.status)

    @Slot(object)
    def _on_prefill_progressed(self, event: PrefillProgressed) -> None:
        live = self._live.get(event.request_id)
        if live is None or live.parts:
            return
        live.begun = True
        text = self.tr("Thinking…")
        if event.total >= _MIN_PROMPT_SHOWN and event.done < event.total:
            text = self.tr("Reading {done:,} of {total:,} tokens…").format(
                done=event.done, total=event.total
            )
        self._show_status(live, text)

    @Slot(object)
    def _on_text_added(self, event: TextAdded) -> None:
        live = self._live.get(event.request_id)
        if live is None or not event.text:
            return
        if not live.parts:
            self._show_status(live, "")
        live.begun = True
        live.parts.append(event.text)
        self._transcript.append_text(live.record.id, event.text)
        live.saver.update(live.text)

    @Slot(object)
    def _on_reply_finished(self, event: ReplyFinished) -> None:
        self._end(event.request_id, event.text, event.token_ids, event.stats, "complete")

    @Slot(object)
    def _on_reply_stopped(self, event: ReplyStopped) -> None:
        self._end(event.request_id, event.text, event.token_ids, event.stats, "stopped")

    @Slot(object)
    def _on_request_failed(self, event: RequestFailed) -> None:
        live = self._live.get(event.request_id)
        if live is not None:
            self._end(event.request_id, live.text, (), None, "failed", error=event.message)

    @Slot(str, float)
    def _on_thought_timed(self, message_id: str, seconds: float) -> None:
        for live in self._live.values():
            if live.record.id == message_id:
                live.thought_s = seconds

    def _end(
        self,
        request_id: str,
        text: str,
        token_ids: tuple[int, ...],
        stats: ReplyStats | None,
        state: SavedState,
        error: str = "",
    ) -> None:
        live = self._live.pop(request_id, None)
        if live is None:
            return
        record = _ended_record(live, text, token_ids, stats, state, error)
        live.saver.end()
        self._desk.run(
            lambda store: store.finish_message(
                record.id, record.content, record.token_ids, record.stats, record.state
            ),
            then=lambda _none: self.saved.emit(live.chat_id),
        )
        self._show_status(live, "")
        self._transcript.end_stream(record.id, message_view(record, show_stats=self.show_stats))
        self.ended.emit(live.chat_id, record)
        self.busy_changed.emit(live.chat_id, self.is_busy(live.chat_id))

    def _show_status(self, live: _Live, text: str) -> None:
        live.status = text
        self._transcript.set_status(live.record.id, text)


def _ended_record(
    live: _Live,
    text: str,
    token_ids: tuple[int, ...],
    stats: ReplyStats | None,
    state: SavedState,
    error: str,
) -> MessageRecord:
    """The reply in its final state."""
    before = live.record
    if not text.startswith(before.content):
        # The engine gave nothing, or only what is new, of a continued reply.
        text, token_ids = before.content + text, ()
    elif text == before.content:
        token_ids = before.token_ids
    figures: dict[str, Any] = dataclasses.asdict(stats) if stats else {}
    if error:
        figures["error"] = error
    thought_s = before.stats.get("thought_s") if live.thought_s is None else live.thought_s
    if thought_s is not None:
        figures["thought_s"] = thought_s
    return dataclasses.replace(
        before, content=text, token_ids=token_ids, stats=figures, state=state
    )
