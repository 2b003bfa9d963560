"""Labels that follow palette and text size, and that give way where there is little room."""

import html

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QSizePolicy, QWidget

from app.widgets import theme


class QuietLabel(QLabel):
    """Plain text in the secondary colour that follows palette and text size."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        size: float = theme.BODY_SIZE,
        weight: QFont.Weight = QFont.Weight.Normal,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)
        theme.set_font(self, size, weight)
        _paint_quietly(self)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            _paint_quietly(self)


class SectionTitle(QuietLabel):
    """A small heading in capitals."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text.upper(), parent, theme.SMALL_SIZE, QFont.Weight.DemiBold)


class ElidedLabel(QLabel):
    """A line that gives way to what stands beside it; the tool tip has all of it.

    The text may be anyone's: it is never read as HTML, and it begins where the window's lines
    begin, whatever its script.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        size: float = theme.BODY_SIZE,
        weight: QFont.Weight = QFont.Weight.Normal,
        is_quiet: bool = False,
    ) -> None:
        self._full, self._is_quiet = "", is_quiet
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        theme.set_font(self, size, weight)
        if is_quiet:
            _paint_quietly(self)
        self._align()
        self.set_full_text(text)

    def full_text(self) -> str:
        """Return the text that there may be no room for."""
        return self._full

    def set_full_text(self, text: str) -> None:
        """Show another text."""
        self._full = text
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(text)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as there is room for."""
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Follow text size, scheme and direction."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._elide()
        elif event.type() == QEvent.Type.PaletteChange and self._is_quiet:
            _paint_quietly(self)
        elif event.type() == QEvent.Type.LayoutDirectionChange:
            self._align()

    def _elide(self) -> None:
        elide = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(self._full, elide, max(20, self.width())))

    def _align(self) -> None:
        is_rtl = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        side = Qt.AlignmentFlag.AlignRight if is_rtl else Qt.AlignmentFlag.AlignLeft
        self.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)


def plain_tip(text: str) -> str:
    """Return what shows ``text`` as it is in a tool tip, where Qt guesses whether it is HTML."""
    if "<" not in text and "&" not in text:
        return text
    lines = html.escape(text).replace("\n", "<br>")
    return f"<span>{lines}</span>"


def _paint_quietly(label: QLabel) -> None:
    quiet = theme.colours(QApplication.palette()).secondary
    if label.palette().color(QPalette.ColorRole.WindowText) != quiet:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, quiet)
        label.setPalette(palette)
