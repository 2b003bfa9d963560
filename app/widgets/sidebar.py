"""The sidebar: search over all chats, and the chats grouped by date."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.models.chat_roles import ChatRole
from app.widgets import theme
from app.widgets.chat_list_view import ChatList
from app.widgets.glyphs import glyph_icon
from app.widgets.pane import Pane


class Sidebar(Pane):
    """Shows whichever model it is given; tells which chat is wanted and what to do with it."""

    chat_selected = Signal(str, str)  # chat id, message id ("" but for a search result)
    left = Signal()  # Return in the list: to the message
    pin_requested = Signal(str, bool)
    delete_requested = Signal(str)
    export_requested = Signal(str)
    search_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", (), parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search all chats"))
        self.search.setAccessibleName(self.tr("Search all chats"))
        self.search.setClearButtonEnabled(True)
        self.list = ChatList(self)
        self._selecting = False
        self._build()
        self._search_icon = self.search.addAction(
            glyph_icon("search", theme.colours(QApplication.palette()).secondary, 14),
            QLineEdit.ActionPosition.LeadingPosition,
        )
        self.search.textChanged.connect(self.search_changed)
        self.search.installEventFilter(self)
        self.list.installEventFilter(self)
        self.list.viewport().installEventFilter(self)
        self.list.customContextMenuRequested.connect(self._on_menu_requested)

    def set_model(self, model: QAbstractItemModel, when_empty: str = "") -> None:
        """Show the rows of ``model``: the chats, or what a search found; without any, the words."""
        self.list.set_placeholder(when_empty)
        if self.list.model() is model:
            return
        before = self.list.selectionModel()
        self.list.setModel(model)
        if before is not None:
            before.deleteLater()
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)

    def select(self, index: QModelIndex) -> None:
        """Mark a row as the open chat, without telling."""
        self._selecting = True
        if index.isValid():
            self.list.setCurrentIndex(index)
            self.list.scrollTo(index)
        elif self.list.selectionModel() is not None:
            self.list.selectionModel().clear()
        self._selecting = False

    def current_chat(self) -> str:
        """Return the id of the marked chat, "" for none."""
        return str(self.list.currentIndex().data(ChatRole.CHAT_ID) or "")

    def rename_current(self) -> None:
        """Open the field for the marked chat's title."""
        if self.list.currentIndex().isValid():
            self.list.edit(self.list.currentIndex())

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.search.setFocus()
        self.search.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc leaves a search, ↓ goes to the results, ⌫ deletes a chat, Return goes to it.

        A right click opens the menu of a chat and not the chat.
        """
        if watched is self.list.viewport() and isinstance(event, QMouseEvent):
            return event.button() == Qt.MouseButton.RightButton
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.search and self._on_search_key(event):
                return True
            deletes = event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
            if watched is self.list and deletes and self.current_chat():
                self.delete_requested.emit(self.current_chat())
                return True
            if watched is self.list and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow palette and text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            quiet = theme.colours(QApplication.palette()).secondary
            self._search_icon.setIcon(glyph_icon("search", quiet, 14))
        elif event.type() == QEvent.Type.FontChange:
            self.list.doItemsLayout()
            self._fit_text()

    def _build(self) -> None:
        self.list.setAccessibleName(self.tr("Chats"))
        # A click opens a chat to write in it: the keys stay where they are or go to the composer.
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.viewport().setAutoFillBackground(False)
        self._fit_text()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 10, 0, 0)
        rows.setSpacing(theme.XS)
        field = QVBoxLayout()
        field.setContentsMargins(10, 0, 10, 0)
        field.addWidget(self.search)
        rows.addLayout(field)
        rows.addWidget(self.list, 1)

    def _fit_text(self) -> None:
        self.search.setMinimumHeight(max(32, round(25 * theme.text_scale())))

    def _on_search_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return True
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            model = self.list.model()
            first = next(
                (
                    model.index(row, 0)
                    for row in range(model.rowCount())
                    if not model.index(row, 0).data(ChatRole.IS_SECTION)
                ),
                None,
            )
            if first is not None:
                self.list.setFocus()
                self.list.setCurrentIndex(first)
            return True
        return False

    def _on_current_changed(self, index: QModelIndex) -> None:
        chat_id = index.data(ChatRole.CHAT_ID)
        if chat_id and not self._selecting:
            self.chat_selected.emit(chat_id, index.data(ChatRole.MESSAGE_ID) or "")

    def _on_menu_requested(self, at: QPoint) -> None:
        index = self.list.indexAt(at)
        chat_id = index.data(ChatRole.CHAT_ID)
        if not chat_id:
            return
        menu = QMenu(self)
        pinned = bool(index.data(ChatRole.IS_PINNED))
        pin = menu.addAction(self.tr("Unpin") if pinned else self.tr("Pin"))
        rename = menu.addAction(self.tr("Rename…"))
        export = menu.addAction(self.tr("Export…"))
        menu.addSeparator()
        delete = menu.addAction(self.tr("Delete"))
        pin.triggered.connect(lambda: self.pin_requested.emit(chat_id, not pinned))
        rename.triggered.connect(lambda: self.list.edit(index))
        export.triggered.connect(lambda: self.export_requested.emit(chat_id))
        delete.triggered.connect(lambda: self.delete_requested.emit(chat_id))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(at))
