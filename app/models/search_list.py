"""What a search over all chats found, as Qt shows it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from app.models.chat_roles import ChatRole
from app.storage.types import SearchHit

Index = QModelIndex | QPersistentModelIndex


class SearchListModel(QAbstractListModel):
    """One row a hit, with the roles of :class:`ChatRole`; the preview is the snippet."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._hits: tuple[SearchHit, ...] = ()

    def set_hits(self, hits: Sequence[SearchHit]) -> None:
        """Show ``hits`` instead of those before."""
        self.beginResetModel()
        self._hits = tuple(hits)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid() or not 0 <= index.row() < len(self._hits):
            return None
        hit = self._hits[index.row()]
        title = hit.chat_title or self.tr("New Chat")
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{title}, {hit.snippet}"
            case ChatRole.CHAT_ID:
                return hit.chat_id
            case ChatRole.MESSAGE_ID:
                return hit.message_id
            case ChatRole.IS_SECTION:
                return False
            case ChatRole.PREVIEW:
                # A title that was found stands in the row already.
                return hit.snippet if hit.message_id else ""
            case ChatRole.HIGHLIGHTS:
                return hit.highlights if hit.message_id else ()
            case ChatRole.UPDATED_AT:
                return hit.created_at
        return None
