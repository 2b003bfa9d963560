"""What stands in the middle when there is no conversation to show yet."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets import theme
from app.widgets.labels import QuietLabel
from app.widgets.pane import Pane

_TEXT_WIDTH = 420


class StartPage(Pane):
    """A heading, a sentence, perhaps a progress bar, and up to two buttons."""

    primary_requested = Signal()
    secondary_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("base", (), parent)
        self._heading = QLabel(self)
        self._heading.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_font(self._heading, 22, QFont.Weight.DemiBold)
        self._heading.setWordWrap(True)
        self._text = QuietLabel("", self)
        self._text.setWordWrap(True)
        self._text.setMaximumWidth(round(_TEXT_WIDTH * theme.text_scale()))
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Progress"))
        self.progress.setFixedWidth(280)
        self.primary = QPushButton(self)
        self.primary.setDefault(True)
        self.secondary = QPushButton(self)
        self._build()
        self.primary.clicked.connect(self.primary_requested)
        self.secondary.clicked.connect(self.secondary_requested)
        self.show_page("", "")

    def show_page(self, heading: str, text: str, primary: str = "", secondary: str = "") -> None:
        """Show a page without progress; an empty button text hides the button."""
        self._set_texts(heading, text, primary, secondary)
        self.progress.hide()

    def show_progress(self, heading: str, text: str, fraction: float, cancel: str = "") -> None:
        """Show work going on; a negative ``fraction`` is work without a known end."""
        self._set_texts(heading, text, "", cancel)
        if fraction < 0:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(fraction * 1000))
        self.progress.show()

    def heading(self) -> str:
        """Return the heading as shown."""
        return self._heading.text()

    def text(self) -> str:
        """Return the sentence as shown."""
        return self._text.text()

    def _set_texts(self, heading: str, text: str, primary: str, secondary: str) -> None:
        self._heading.setText(heading)
        self._text.setText(text)
        for button, label in ((self.primary, primary), (self.secondary, secondary)):
            button.setText(label)
            button.setAccessibleName(label or self.tr("No action"))
            button.setVisible(bool(label))

    def _build(self) -> None:
        centre = Qt.AlignmentFlag.AlignHCenter
        self._text.setAlignment(centre)
        self._heading.setAlignment(centre)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.S)
        buttons.addStretch()
        buttons.addWidget(self.secondary)
        buttons.addWidget(self.primary)
        buttons.addStretch()
        rows = QVBoxLayout(self)
        rows.setSpacing(theme.M)
        rows.addStretch(2)
        rows.addWidget(self._heading)
        # In a row of its own, not aligned: an aligned label would not be asked for its height.
        words = QHBoxLayout()
        words.addStretch(1)
        words.addWidget(self._text, 1000)
        words.addStretch(1)
        rows.addLayout(words)
        rows.addWidget(self.progress, 0, centre)
        rows.addSpacing(theme.S)
        rows.addLayout(buttons)
        rows.addStretch(3)
