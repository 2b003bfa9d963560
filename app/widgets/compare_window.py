"""One prompt answered twice, side by side: with the budget and with the full cache."""

import re

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeySequence, QShortcut, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.models.comparison import CompareSide, first_difference
from app.widgets import theme
from app.widgets.banner import BannerArea
from app.widgets.figures import Figures
from app.widgets.labels import QuietLabel
from app.widgets.pane import Hairline, Pane

_SIZE = (860, 620)
_PROMPT_LINES = 3
_FAINT = 0.35  # of the shade of the word where the replies part: what follows it
_WORD = re.compile(r"\s*\S*")


class CompareWindow(Pane):
    """Asks for the comparison and shows it; the first difference is marked in both texts."""

    compare_requested = Signal(str)  # the prompt
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("base", (), parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Compare"))
        self.resize(*_SIZE)
        self.banners = BannerArea(self)
        self.prompt = QPlainTextEdit(self)
        self.prompt.setAccessibleName(self.tr("Prompt"))
        self.prompt.setPlaceholderText(self.tr("A message to answer twice, after the open chat"))
        self.prompt.setTabChangesFocus(True)
        self.prompt.setFixedHeight(self.fontMetrics().lineSpacing() * _PROMPT_LINES + theme.M)
        self.button = QPushButton(self)
        self.bounded = CompareColumn(self.tr("With the budget"), self)
        self.full = CompareColumn(self.tr("With the full cache"), self)
        self.verdict = QuietLabel("", self)
        self.verdict.setWordWrap(True)
        self._busy = False
        self._build()
        self.prompt.textChanged.connect(self._show_button)
        self.button.clicked.connect(self._on_clicked)
        for key in (QKeySequence.StandardKey.Close, QKeySequence.StandardKey.Cancel):
            QShortcut(QKeySequence(key), self, self.close)
        self._show_button()

    def set_busy(self, busy: bool) -> None:
        """Offer to stop instead of to compare."""
        self._busy = busy
        self._show_button()

    def show_difference(self) -> None:
        """Mark where the texts part, and say it."""
        first, second = self.bounded.text(), self.full.text()
        at = first_difference(first, second)
        self.bounded.mark_from(at)
        self.full.mark_from(at)
        if at < 0:
            self.verdict.setText(self.tr("Both replies are the same."))
        elif at == 0:
            self.verdict.setText(self.tr("The replies differ from the first character on."))
        else:
            share = round(100 * at / max(1, len(first), len(second)))
            text = self.tr("The replies are the same for the first {n} characters, {share} %.")
            self.verdict.setText(text.format(n=at, share=share))

    def clear(self) -> None:
        """Take the last comparison away."""
        self.bounded.clear()
        self.full.clear()
        self.verdict.setText("")

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        self.show()
        self.raise_()
        self.activateWindow()
        self.prompt.setFocus()

    def _build(self) -> None:
        ask = QHBoxLayout()
        ask.addWidget(self.prompt, 1)
        ask.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)
        columns = QHBoxLayout()
        columns.setSpacing(theme.L)
        columns.addWidget(self.bounded, 1)
        columns.addWidget(self.full, 1)
        inside = QVBoxLayout()
        inside.setContentsMargins(theme.XL, theme.L, theme.XL, theme.L)
        inside.setSpacing(theme.M)
        inside.addLayout(ask)
        inside.addWidget(Hairline(self))
        inside.addLayout(columns, 1)
        inside.addWidget(self.verdict)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.banners)
        rows.addLayout(inside, 1)

    def _show_button(self) -> None:
        self.button.setText(self.tr("Stop") if self._busy else self.tr("Compare"))
        self.button.setEnabled(self._busy or bool(self.prompt.toPlainText().strip()))

    def _on_clicked(self) -> None:
        if self._busy:
            self.stop_requested.emit()
        else:
            self.compare_requested.emit(self.prompt.toPlainText().strip())


class CompareColumn(QWidget):
    """One reply with its figures."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._place = -1
        self._title = QLabel(title, self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_font(self._title, weight=QFont.Weight.DemiBold)
        self.view = QPlainTextEdit(self)
        self.view.setReadOnly(True)
        self.view.setTabChangesFocus(True)
        self.view.setAccessibleName(title)
        self.figures = Figures(
            [
                self.tr("tokens kept / seen"),
                self.tr("KV cache"),
                self.tr("speed"),
                self.tr("first token after"),
            ],
            self,
        )
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(theme.S)
        rows.addWidget(self._title)
        rows.addWidget(self.view, 1)
        rows.addWidget(self.figures)

    def set_title(self, title: str) -> None:
        """Show which cache answers here."""
        self._title.setText(title)
        self.view.setAccessibleName(title)

    def title(self) -> str:
        """Return which cache answers here."""
        return self._title.text()

    def text(self) -> str:
        """Return the reply so far."""
        return self.view.toPlainText()

    def set_text(self, text: str) -> None:
        """Show the whole reply."""
        self.view.setPlainText(text)

    def append_text(self, text: str) -> None:
        """Add to the reply."""
        cursor = QTextCursor(self.view.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def show_figures(self, side: CompareSide) -> None:
        """Show what was measured."""
        self.figures.set_values(side.values())

    def mark_from(self, place: int) -> None:
        """Shade the text from ``place`` on, the first word strongly; -1 shades nothing."""
        self._place = place
        text = self.text()
        if place < 0:
            self.view.setExtraSelections([])
            return
        first = _WORD.match(text, place)
        end = first.end() if first else place
        shade = QColor(theme.colours(self.palette()).remembered)
        faint = QColor(shade)
        faint.setAlphaF(_FAINT)
        self.view.setExtraSelections(
            [self._mark(place, end, shade), self._mark(end, len(text), faint)]
        )

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._place >= 0:
            self.mark_from(self._place)

    def _mark(self, start: int, end: int, shade: QColor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.view.document())
        # Qt counts in UTF-16, Python in characters.
        before, inside = (
            len(part.encode("utf-16-le")) // 2
            for part in (self.text()[:start], self.text()[start:end])
        )
        cursor.setPosition(before)
        cursor.setPosition(before + inside, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setBackground(shade)
        mark.cursor = cursor  # type: ignore[attr-defined]
        mark.format = form  # type: ignore[attr-defined]
        return mark

    def clear(self) -> None:
        """Forget the reply."""
        self.view.clear()
        self.mark_from(-1)
        self.show_figures(CompareSide())
