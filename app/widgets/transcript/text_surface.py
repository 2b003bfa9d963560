"""A text that is only read: it selects, copies and links, and leaves scrolling to its owner."""

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QTextBrowser, QToolTip, QWidget

from app.widgets.labels import plain_tip
from app.widgets.transcript.links import safe_url

_SCROLL_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class TextSurface(QTextBrowser):
    """A frameless text as high as its contents. Nothing is ever loaded, from disk or network."""

    link_activated = Signal(str)
    link_hovered = Signal(str)
    selection_dragged = Signal(QPoint)  # where the pointer is, in global coordinates

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._set_up()
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)

    def selected_raw(self) -> str:
        """Return the raw text of the selection."""
        return self.textCursor().selectedText()

    def tip_at(self, position: QPoint) -> str:
        """Return what is told about the place ``position`` in the viewport."""
        return self.anchorAt(position)

    def _set_up(self) -> None:
        # Each paragraph finds its own direction; the widget itself must not be mirrored, or Qt
        # scrolls it sideways.
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)
        self.setOpenLinks(False)
        self.setAcceptDrops(False)  # files are dropped on the window
        self.viewport().setAcceptDrops(False)
        self.setFrameStyle(0)
        self.setUndoRedoEnabled(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.setCursorWidth(0)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Load nothing, ever: not from the network and not from the disk."""
        return

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the raw text of the selection, and only text."""
        data = QMimeData()
        data.setText(self.selected_raw())
        return data

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a caret only to who comes by keyboard, and can move it."""
        reason = event.reason()
        by_key = reason in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        comes_back = reason in (
            Qt.FocusReason.ActiveWindowFocusReason,
            Qt.FocusReason.PopupFocusReason,
        )
        if not comes_back:
            self.setCursorWidth(1 if by_key else 0)
        super().focusInEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer the pointer that rests: on a link its target, on a word how it is remembered."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.tip_at(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the transcript scroll when a selection is dragged beyond it."""
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton and self.textCursor().hasSelection():
            self.selection_dragged.emit(event.globalPosition().toPoint())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave plain movement keys to the transcript, which scrolls."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        scrolls = event.key() in _SCROLL_KEYS and modifiers == Qt.KeyboardModifier.NoModifier
        if scrolls or event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)
            self._tell_at_caret()

    def _tell_at_caret(self) -> None:
        """Tell by keyboard what the pointer tells when it rests on a word."""
        place = self.cursorRect()
        tip = self.tip_at(place.center() + QPoint(2, 0)) if self.cursorWidth() else ""
        QToolTip.showText(self.viewport().mapToGlobal(place.bottomLeft()), tip, self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the transcript."""
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the menu to the message."""
        event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the layout alone: :meth:`set_width` makes it, and a new height changes nothing."""

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Never scroll: the transcript does."""
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)

    def clear_selection(self) -> None:
        """Select nothing."""
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if target := safe_url(url.toString()):
            self.link_activated.emit(target)

    def _on_highlighted(self, url: QUrl) -> None:
        self.link_hovered.emit(url.toString())
