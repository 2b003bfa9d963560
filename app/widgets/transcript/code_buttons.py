"""The small Copy buttons of the code boxes."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTextEdit

from app.widgets.transcript.geometry import block_extent
from app.widgets.transcript.look import CODE_PADDING_Y, LANGUAGE, Look
from app.widgets.transcript.quiet_button import QuietButton

CONFIRMATION_MS = 1_500


class CodeButtons(QObject):
    """One button for each code box of a text, at its top right."""

    copied = Signal(str)

    def __init__(self, text: QTextEdit) -> None:
        super().__init__(text)
        self._text = text
        self._buttons: dict[int, QuietButton] = {}
        self._code_at: Callable[[int], str] = lambda _start: ""

    def place(self, starts: Sequence[int], look: Look, code_at: Callable[[int], str]) -> None:
        """Put the buttons where the boxes are that start at these document positions.

        ``code_at`` gives the code of a box by its start.
        """
        self._code_at = code_at
        for gone in set(self._buttons) - set(starts):
            self._buttons.pop(gone).deleteLater()
        width = self._text.lineWrapColumnOrWidth()
        for start in starts:
            button = self._buttons.get(start) or self._add(start)
            button.set_look(look.label_font, look.colours)
            block = self._text.document().findBlock(start)
            top, _ = block_extent(block)
            size = button.sizeHint()
            y = round(top - look.px(CODE_PADDING_Y) + look.px(5))
            button.setGeometry(width - size.width() - look.px(5), y, size.width(), size.height())
            button.show()

    def geometry(self, start: int) -> QRect:
        """Return where the button of the box at ``start`` is."""
        button = self._buttons.get(start)
        return button.geometry() if button else QRect()

    def _add(self, start: int) -> QuietButton:
        button = QuietButton(self.tr("Copy"), self._text.viewport())
        block = self._text.document().findBlock(start)
        language = str(block.blockFormat().property(LANGUAGE) or "")
        name = self.tr("Copy {language} code").format(language=language) if language else ""
        button.setAccessibleName(name or self.tr("Copy code"))
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.clicked.connect(lambda: self._on_clicked(button))
        self._buttons[start] = button
        return button

    def _on_clicked(self, button: QuietButton) -> None:
        start = next((at for at, known in self._buttons.items() if known is button), None)
        if start is None:
            return
        code = self._code_at(start)
        QGuiApplication.clipboard().setText(code)
        button.setText("✓")
        QTimer.singleShot(CONFIRMATION_MS, button, lambda: button.setText(self.tr("Copy")))
        self.copied.emit(code)
