"""The list of chats as Qt shows it: sections by date, pinned chats first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)

from app.models.chat_roles import ChatRole
from app.models.chat_sections import section_title
from app.storage.types import ChatSummary

DAY_CHECK_MS = 60_000

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class _Row:
    """A heading (``chat`` is None) or a chat."""

    section: str
    chat: ChatSummary | None = None

    @property
    def key(self) -> tuple[str, str]:
        return ("section", self.section) if self.chat is None else ("chat", self.chat.id)


class ChatListModel(QAbstractListModel):
    """Headings and chats, one below the other; headings cannot be selected.

    New lists are taken in row by row, so that a view keeps its selection and place.

    Signals:
        rename_requested(chat_id, title): A person edited a title in the view.
    """

    rename_requested = Signal(str, str)

    def __init__(
        self, parent: QObject | None = None, today: Callable[[], date] = date.today
    ) -> None:
        super().__init__(parent)
        self._today = today
        self._chats: tuple[ChatSummary, ...] = ()
        self._rows: list[_Row] = []
        self._shown_day = today()
        self._day_timer = QTimer(self, interval=DAY_CHECK_MS)
        self._day_timer.timeout.connect(self._on_day_checked)
        self._day_timer.start()

    def set_chats(self, chats: Sequence[ChatSummary]) -> None:
        """Show ``chats``, which come sorted from the store."""
        self._chats = tuple(chats)
        self._shown_day = self._today()
        rows = self._arranged(self._shown_day)
        if not self._rows or not rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        self._remove_missing({row.key for row in rows})
        for place, row in enumerate(rows):
            self._put(place, row)

    def index_of(self, chat_id: str) -> QModelIndex:
        """Where the chat stands; an invalid index when it is not in the list."""
        for place, row in enumerate(self._rows):
            if row.chat is not None and row.chat.id == chat_id:
                return self.index(place)
        return QModelIndex()

    def chat_at(self, index: Index) -> ChatSummary | None:
        """The chat in a row; None for a heading and an invalid index."""
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        return self._rows[index.row()].chat

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:  # noqa: D102
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.chat_at(index) is None:
            return Qt.ItemFlag.ItemNeverHasChildren
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsEditable
            | Qt.ItemFlag.ItemNeverHasChildren
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ChatRole.IS_SECTION:
            return row.chat is None
        if row.chat is None:
            names = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
            return row.section if role in names else None
        return self._chat_data(row.chat, role)

    def setData(  # noqa: D102
        self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        chat = self.chat_at(index)
        if chat is None or role != Qt.ItemDataRole.EditRole or not isinstance(value, str):
            return False
        if value != chat.title:
            self.rename_requested.emit(chat.id, value)
        return True

    def _chat_data(self, chat: ChatSummary, role: int) -> Any:
        title = chat.title or self.tr("New Chat")
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return title
            case Qt.ItemDataRole.EditRole:
                return chat.title
            case Qt.ItemDataRole.AccessibleTextRole:
                parts = (title, self.tr("pinned") if chat.pinned else "", chat.preview)
                return ", ".join(part for part in parts if part)
            case ChatRole.CHAT_ID:
                return chat.id
            case ChatRole.PREVIEW:
                return chat.preview
            case ChatRole.IS_PINNED:
                return chat.pinned
            case ChatRole.UPDATED_AT:
                return chat.updated_at
        return None

    def _arranged(self, today: date) -> list[_Row]:
        rows: list[_Row] = []
        for chat in self._chats:
            updated = datetime.fromtimestamp(chat.updated_at).date()
            section = section_title(updated, chat.pinned, today)
            if not rows or rows[-1].section != section:
                rows.append(_Row(section))
            rows.append(_Row(section, chat))
        return rows

    def _remove_missing(self, kept: set[tuple[str, str]]) -> None:
        for place in reversed(range(len(self._rows))):
            if self._rows[place].key not in kept:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self._rows[place]
                self.endRemoveRows()

    def _put(self, place: int, row: _Row) -> None:
        """Bring ``row`` to ``place``; all rows above are in place already."""
        none = QModelIndex()
        old = next((i for i in range(place, len(self._rows)) if self._rows[i].key == row.key), None)
        if old is None:
            self.beginInsertRows(none, place, place)
            self._rows.insert(place, row)
            self.endInsertRows()
            return
        if old != place:
            self.beginMoveRows(none, old, old, none, place)
            self._rows.insert(place, self._rows.pop(old))
            self.endMoveRows()
        if self._rows[place] != row:
            self._rows[place] = row
            self.dataChanged.emit(self.index(place), self.index(place))

    @Slot()
    def _on_day_checked(self) -> None:
        if self._today() != self._shown_day:
            self.set_chats(self._chats)
