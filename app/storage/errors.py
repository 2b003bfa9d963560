"""What can go wrong with stored chats; each message is fit to be shown as it is."""

from velox_core.errors import VeloxError


class StorageError(VeloxError):
    """Chats cannot be read or written."""


class UnknownItemError(StorageError):
    """There is no such chat or message (any more)."""


class ImportRefusedError(StorageError):
    """A file cannot be imported; the message says what is wrong with it."""
