"""The list itself in the sidebar."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QFrame, QListView, QWidget

from app.widgets import theme
from app.widgets.chat_delegate import ChatDelegate


class ChatList(QListView):
    """Draws chats, and a few quiet words while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placeholder = ""
        self.setItemDelegate(ChatDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QListView.EditTrigger.EditKeyPressed)
        self.setMouseTracking(True)

    def set_placeholder(self, text: str) -> None:
        """Set the words for an empty list."""
        self._placeholder = text
        self.viewport().update()

    def placeholder(self) -> str:
        """Return the words that are shown now, "" while there are rows."""
        model = self.model()
        return "" if model is not None and model.rowCount() else self._placeholder

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, or the words."""
        super().paintEvent(event)
        if text := self.placeholder():
            painter = QPainter(self.viewport())
            painter.setFont(theme.font(theme.SMALL_SIZE))
            painter.setPen(theme.colours(QApplication.palette()).secondary)
            box = QRect(self.viewport().rect()).adjusted(theme.L, theme.L, -theme.L, 0)
            align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(box, align | Qt.TextFlag.TextWordWrap, text)
