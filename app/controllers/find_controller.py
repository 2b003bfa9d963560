"""Find in the open chat."""

from PySide6.QtCore import QObject, Slot

from app.controllers.open_chat import OpenChat
from app.widgets.find_bar import FindBar
from app.widgets.transcript import TranscriptView


class FindController(QObject):
    """Wires the find bar to the transcript."""

    def __init__(
        self,
        bar: FindBar,
        transcript: TranscriptView,
        open_chat: OpenChat,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bar = bar
        self._transcript = transcript
        bar.find_requested.connect(self._on_find_requested)
        bar.closed.connect(transcript.clear_find)
        open_chat.opened.connect(self._on_opened)

    @Slot(str, bool, bool)
    def _on_find_requested(self, text: str, forward: bool, restart: bool) -> None:
        if not text:
            self._transcript.clear_find()
        number, count = self._transcript.find_text(text, forward, restart=restart)
        self._bar.show_place(number, count)

    @Slot(str)
    def _on_opened(self, _chat_id: str) -> None:
        if self._bar.isVisible():
            self._on_find_requested(self._bar.field.text(), True, True)
