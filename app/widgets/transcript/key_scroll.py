"""Scrolling by keyboard, and to what the keyboard reached."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget


class KeyScrollArea(QAbstractScrollArea):
    """A scroll area that needs no pointer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        QApplication.instance().focusChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll by keyboard."""
        bar = self.verticalScrollBar()
        step = {
            Qt.Key.Key_PageUp: -bar.pageStep() * 9 // 10,
            Qt.Key.Key_PageDown: bar.pageStep() * 9 // 10,
            Qt.Key.Key_Space: bar.pageStep() * 9 // 10,
            Qt.Key.Key_Up: -2 * bar.singleStep(),
            Qt.Key.Key_Down: 2 * bar.singleStep(),
            Qt.Key.Key_Home: -bar.maximum(),
            Qt.Key.Key_End: bar.maximum(),
        }.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        bar.setValue(bar.value() + step)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        """Scroll to what the keyboard reached."""
        if QApplication.mouseButtons() or new is None or not self.viewport().isAncestorOf(new):
            return
        rect = new.rect().translated(new.mapTo(self.viewport(), new.rect().topLeft()))
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        if rect.bottom() < 0 or (rect.height() < height and rect.top() < 0):
            bar.setValue(bar.value() + rect.top() - 8)
        elif rect.top() > height or (rect.height() < height and rect.bottom() > height):
            bar.setValue(bar.value() + min(rect.bottom() - height + 8, rect.top() - 8))
