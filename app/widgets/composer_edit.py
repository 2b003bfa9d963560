"""The text field of the composer: it grows, sends on Return and remembers earlier prompts."""

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QWidget

from app.widgets.sending_edit import SendingEdit

# Qt lays a block out as a whole: a line of 200,000 characters would take a second for each key.
LARGEST_PASTE = 10_000
_MAX_LINES = 10


class ComposerEdit(SendingEdit):
    """Plain text only; ↑ in an empty field looks back."""

    files_dropped = Signal(list)  # local paths
    text_pasted = Signal(str)  # more than LARGEST_PASTE characters; not inserted

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._history: list[str] = []
        self._history_at = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Message"))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.viewport().setAutoFillBackground(False)
        self._fit()

    def set_history(self, prompts: list[str]) -> None:
        """Set the earlier prompts, oldest first, that ↑ walks through."""
        self._history = list(prompts)
        self._history_at = len(self._history)

    def sizeHint(self) -> QSize:
        """Return one line's height."""
        return QSize(200, self._line_height() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Look back through earlier prompts; the rest as in any field for a message."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and plain and self._browse(event.key()):
            event.accept()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take text and local files."""
        return source.hasText() or local_files(source) != []

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste as plain text; files become attachments."""
        if files := local_files(source):
            self.files_dropped.emit(files)
        elif len(source.text()) > LARGEST_PASTE:
            self.text_pasted.emit(source.text())
        elif source.hasText():
            self.textCursor().insertText(source.text())
            self.ensureCursorVisible()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and text."""
        if self.canInsertFromMimeData(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Accept files and text."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach dropped files, insert dropped text."""
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        else:
            super().dropEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the width."""
        super().resizeEvent(event)
        self._elide_placeholder()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
            self._elide_placeholder()

    def _elide_placeholder(self) -> None:
        # Qt would break it and hide its second line.
        room, right = self.viewport().width() - 4, Qt.TextElideMode.ElideRight
        text = self.tr("Message the model…")
        self.setPlaceholderText(self.fontMetrics().elidedText(text, right, room))

    def _browse(self, key: int) -> bool:
        """Show an earlier or later prompt; False where the key should move the cursor."""
        at = self._history_at
        showing = at < len(self._history) and self.toPlainText() == self._history[at]
        if not showing and self.toPlainText():
            return False
        if not showing:
            self._history_at = at = len(self._history)
        step = -1 if key == Qt.Key.Key_Up else 1
        if not 0 <= at + step <= len(self._history):
            return False
        self._history_at = at + step
        later = self._history_at == len(self._history)
        self.setPlainText("" if later else self._history[self._history_at])
        self.moveCursor(QTextCursor.MoveOperation.End)
        return True

    def _line_height(self) -> int:
        return self.fontMetrics().lineSpacing()

    def _fit(self) -> None:
        lines = max(1, min(_MAX_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * self._line_height() + 2)
        full = self.document().size().height() > _MAX_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if full else policy.ScrollBarAlwaysOff
        )


def local_files(source: QMimeData) -> list[str]:
    """Return the paths of the files in what is dragged or pasted."""
    return [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
