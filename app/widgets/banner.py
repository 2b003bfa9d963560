"""Messages across the top of the conversation: one plain sentence, perhaps one action."""

from typing import Literal

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.widgets import theme
from app.widgets.icon_button import IconButton

BannerKind = Literal["info", "warning", "error"]


class BannerArea(QWidget):
    """Shows messages by key; a new message with the same key takes the old one's place."""

    action_triggered = Signal(str)  # the key
    dismissed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._banners: dict[str, Banner] = {}
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)

    def show_message(
        self,
        key: str,
        text: str,
        kind: BannerKind = "error",
        action: str = "",
        timeout_s: float = 0.0,
    ) -> None:
        """Show ``text``; after ``timeout_s`` (0: never) it goes away by itself."""
        self.clear_message(key)
        banner = Banner(text, kind, action, self)
        banner.close_button.clicked.connect(lambda: self._dismiss(key))
        banner.action_button.clicked.connect(lambda: self._act(key))
        self._banners[key] = banner
        self._rows.addWidget(banner)
        if timeout_s:
            timer = QTimer(banner)
            timer.setSingleShot(True)
            timer.timeout.connect(lambda: self._dismiss(key))
            timer.start(int(timeout_s * 1000))

    def update_text(self, key: str, text: str) -> bool:
        """Change the text of a message that is shown, its button untouched; False without one."""
        if banner := self._banners.get(key):
            banner.set_text(text)
        return key in self._banners

    def clear_message(self, key: str) -> None:
        """Take the message away without telling."""
        if banner := self._banners.pop(key, None):
            self._rows.removeWidget(banner)
            banner.hide()
            banner.deleteLater()

    def message(self, key: str) -> str:
        """Return the text shown under ``key``, "" for none."""
        return self._banners[key].text() if key in self._banners else ""

    def banner(self, key: str) -> "Banner | None":
        """Return the banner shown under ``key``."""
        return self._banners.get(key)

    def _act(self, key: str) -> None:
        self.clear_message(key)
        self.action_triggered.emit(key)

    def _dismiss(self, key: str) -> None:
        if key in self._banners:
            self.clear_message(key)
            self.dismissed.emit(key)


class Banner(QWidget):
    """One message with its buttons."""

    def __init__(self, text: str, kind: BannerKind, action: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._kind = kind
        self._label = QLabel(text, self)
        self._label.setWordWrap(True)
        self._label.setTextFormat(self._label.textFormat().PlainText)
        self._label.setTextInteractionFlags(
            self._label.textInteractionFlags().TextSelectableByMouse
        )
        self._label.setAccessibleName(text)
        self.action_button = QPushButton(action, self)
        self.action_button.setAccessibleName(action or self.tr("Action"))
        self.action_button.setVisible(bool(action))
        self.close_button = IconButton("close", self.tr("Dismiss"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.L, theme.S, theme.S, theme.S)
        row.setSpacing(theme.M)
        row.addWidget(self._label, 1)
        row.addWidget(self.action_button)
        row.addWidget(self.close_button)

    def set_text(self, text: str) -> None:
        """Change the sentence."""
        self._label.setText(text)
        self._label.setAccessibleName(text)

    def text(self) -> str:
        """Return the sentence."""
        return self._label.text()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill with the kind's tint; a strip at the start in its full colour."""
        colours = theme.colours(self.palette())
        full = {"info": colours.accent, "warning": colours.warning, "error": colours.danger}[
            self._kind
        ]
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.mix(colours.base, full, 0.1))
        left = self.width() - 3 if self.layoutDirection().name == "RightToLeft" else 0
        painter.fillRect(left, 0, 3, self.height(), full)
        painter.setPen(colours.border)
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
