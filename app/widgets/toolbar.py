"""The row at the top: panes on and off, the chat's title, the model, a new chat."""

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QWidget,
)

from app.widgets import theme
from app.widgets.glyphs import glyph_icon
from app.widgets.icon_button import IconButton
from app.widgets.labels import ElidedLabel, plain_tip
from app.widgets.pane import Pane

_MODEL_WIDTH = 280


class Toolbar(Pane):
    """Emits what was asked for; the title and the model's name are set from outside."""

    sidebar_toggled = Signal()
    panel_toggled = Signal()
    new_chat_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._model_name = ""
        super().__init__("window", ("bottom",), parent)
        self.setFixedHeight(max(theme.TOOLBAR_HEIGHT, round(34 * theme.text_scale())))
        self.sidebar_button = IconButton("sidebar", self.tr("Show or hide the chats"), self)
        self.panel_button = IconButton("panel", self.tr("Show or hide the memory panel"), self)
        self.title = ElidedLabel("", self, weight=QFont.Weight.Bold)
        self.model_button = QPushButton(self)
        self.model_button.setAccessibleName(self.tr("Model"))
        # Not the button's child: it would be mirrored with the button's arrow.
        self.model_menu = QMenu(self)
        self.new_chat_button = QPushButton(self.tr("New Chat"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.M, 0, theme.M, 1)
        row.setSpacing(10)
        row.addWidget(self.sidebar_button)
        row.addSpacing(theme.SIDEBAR_WIDTH - 2 * theme.M - 62)
        row.addWidget(self.title, 1)
        row.addWidget(self.model_button)
        row.addWidget(self.new_chat_button)
        row.addWidget(self.panel_button)
        self.sidebar_button.clicked.connect(self.sidebar_toggled)
        self.panel_button.clicked.connect(self.panel_toggled)
        self.new_chat_button.clicked.connect(self.new_chat_requested)
        self.model_button.clicked.connect(self.open_model_menu)
        self._draw_icons()
        self.set_model(self.tr("No model"))

    def set_title(self, title: str) -> None:
        """Show the chat's title."""
        self.title.set_full_text(title)

    def set_model(self, name: str) -> None:
        """Show the model's name on its button."""
        self._model_name = name
        shown = self.model_button.fontMetrics().elidedText(
            name, Qt.TextElideMode.ElideMiddle, round(_MODEL_WIDTH * theme.text_scale())
        )
        self.model_button.setText(shown)
        self.model_button.setToolTip(plain_tip(name))

    def open_model_menu(self) -> None:
        """Open the menu under the model's button."""
        at = self.model_button.mapToGlobal(self.model_button.rect().bottomLeft())
        self.model_menu.popup(at)

    def changeEvent(self, event: QEvent) -> None:
        """Follow palette and text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw_icons()
        elif event.type() == QEvent.Type.FontChange:
            self.setFixedHeight(max(theme.TOOLBAR_HEIGHT, round(34 * theme.text_scale())))
            self.set_model(self._model_name)
            self._draw_icons()

    def _draw_icons(self) -> None:
        ink = theme.colours(QApplication.palette()).text
        size = round(12 * theme.text_scale())
        for button, glyph in ((self.new_chat_button, "plus"), (self.model_button, "down")):
            button.setIcon(glyph_icon(glyph, ink, size))
            button.setIconSize(QSize(size, size))
        self.model_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
