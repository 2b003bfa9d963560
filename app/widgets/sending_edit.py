"""A field for a message: the key that sends it, as the settings have it."""

import sys

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SendingEdit(QPlainTextEdit):
    """Plain text. Return submits and ⇧Return breaks the line; ⌘Return (Ctrl elsewhere) submits too.

    It can be set to submit with ⌘Return only; Return breaks the line then. While an input method
    composes, nothing is submitted.
    """

    submitted = Signal()
    escaped = Signal()

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._composing = False
        self._sends_with_command = False
        self.setTabChangesFocus(True)

    def set_sends_with_command(self, with_command: bool) -> None:
        """Submit with ⌘Return only."""
        self._sends_with_command = with_command

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Submit, break the line or leave."""
        key, modifiers = event.key(), event.modifiers()
        plain = not modifiers & ~Qt.KeyboardModifier.KeypadModifier
        command = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if key in _RETURN and (command or (plain and not self._sends_with_command)):
            if self._composing:
                event.ignore()
            else:
                self.submitted.emit()
        elif key in _RETURN:
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether a composition is open."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)


def send_key_name(with_command: bool) -> str:
    """Return the name of the key that sends: "Return", "⌘Return"."""
    if not with_command:
        return QCoreApplication.translate("SendingEdit", "Return")
    if sys.platform == "darwin":
        return QCoreApplication.translate("SendingEdit", "⌘Return")
    return QCoreApplication.translate("SendingEdit", "Ctrl Return")


def keys_hint(with_command: bool) -> str:
    """Return which keys send and which break the line: "⏎ send · ⇧⏎ new line"."""
    if not with_command:
        return QCoreApplication.translate("SendingEdit", "⏎ send · ⇧⏎ new line")
    key = "⌘" if sys.platform == "darwin" else QCoreApplication.translate("SendingEdit", "Ctrl ")
    return QCoreApplication.translate("SendingEdit", "{key}⏎ send · ⏎ new line").format(key=key)
