"""What views and delegates ask the chat list and the search results for.

Apart from the models, so that a widget can name a role without knowing the store.
"""

from enum import IntEnum

from PySide6.QtCore import Qt


class ChatRole(IntEnum):
    """Item roles; ``Qt.ItemDataRole.DisplayRole`` is the title of a chat or of a section.

    ``IS_SECTION`` (bool) tells headings from chats; the others are empty for a heading.
    ``HIGHLIGHTS`` are (start, end) pairs of characters in ``PREVIEW``; ``MESSAGE_ID`` is the
    message found by a search; ``UPDATED_AT`` is in Unix seconds.
    """

    CHAT_ID = Qt.ItemDataRole.UserRole + 1
    IS_SECTION = Qt.ItemDataRole.UserRole + 2
    PREVIEW = Qt.ItemDataRole.UserRole + 3
    IS_PINNED = Qt.ItemDataRole.UserRole + 4
    UPDATED_AT = Qt.ItemDataRole.UserRole + 5
    MESSAGE_ID = Qt.ItemDataRole.UserRole + 6
    HIGHLIGHTS = Qt.ItemDataRole.UserRole + 7
