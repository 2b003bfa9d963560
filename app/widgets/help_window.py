"""The help page: a text to read beside the window."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from app.widgets import theme

_SIZE = (640, 720)
_MARGIN = 28
_LINE_PERCENT = 125
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value


class HelpWindow(QWidget):
    """Shows one Markdown text; not modal, closed with Esc."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self._markdown = markdown
        self.setWindowTitle(self.tr("Velox Help"))
        self.resize(*_SIZE)
        self.page = QTextBrowser(self)
        self.page.setAccessibleName(self.tr("Help"))
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        # The text is ours, but nothing in it need ever be opened or loaded.
        self.page.setOpenLinks(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.page)
        self._show_text()
        self.page.moveCursor(QTextCursor.MoveOperation.Start)

    def bring_to_front(self) -> None:
        """Show the window, in front of the others."""
        self.show()
        self.raise_()
        self.activateWindow()

    def changeEvent(self, event: QEvent) -> None:
        """Follow palette and text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._show_text()

    def keyPressEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def _show_text(self) -> None:
        place = self.page.verticalScrollBar().value()
        document = self.page.document()
        document.setDefaultFont(theme.font(theme.BODY_SIZE + 1))
        document.setMarkdown(self._markdown)
        document.setDocumentMargin(_MARGIN)
        self._set_spacing()
        self.page.verticalScrollBar().setValue(place)

    def _set_spacing(self) -> None:
        """Give the blocks room; Qt sets Markdown solid."""
        block = self.page.document().begin()
        while block.isValid():
            style = block.blockFormat()
            heading = style.headingLevel() > 0
            style.setTopMargin(theme.XL if heading else 0)
            style.setBottomMargin(theme.XS if block.textList() else theme.S)
            style.setLineHeight(_LINE_PERCENT, _PROPORTIONAL)
            QTextCursor(block).setBlockFormat(style)
            block = block.next()
