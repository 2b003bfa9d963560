"""The chat database's file: opened, checked, migrated, set aside or done without.

Opening never fails. What cannot be opened for writing is held in memory instead, with all chats
that can be read, and :attr:`Database.degraded` says so in one plain sentence.
"""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from app.storage import opening
from app.storage.errors import StorageError

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)


class Database:
    """One connection, used on one thread. ``read`` and ``write`` run functions of a connection."""

    def __init__(self, path: Path, on_degraded: Callable[[str], None]) -> None:
        self._path = path
        self._on_degraded = on_degraded
        self._connection: sqlite3.Connection | None = None
        self.degraded = ""
        self.notice = ""

    def open(self) -> None:
        """Open the file, or go on in memory. Does nothing when already open."""
        if self._connection is not None:
            return
        try:
            self._connection, self.notice = opening.open_file(self._path)
        except opening.UnusableFileError as error:
            self._go_to_memory(str(error), opening.read_only_copy(self._path))
        except (OSError, sqlite3.Error) as error:
            logger.warning("Chats cannot be saved in %s: %s", self._path, error)
            self._go_to_memory(opening.why(error), opening.read_only_copy(self._path))

    def close(self) -> None:
        """Close the file; nothing is lost."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def read(
        self, fn: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``fn(connection, …)`` on one state of the database.

        Raises:
            StorageError: The file cannot be read.
        """
        return self._run("BEGIN", fn, *args, **kwargs)

    def write(
        self, fn: Callable[Concatenate[sqlite3.Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run ``fn(connection, …)`` in one transaction; all of it is saved, or nothing.

        When the disk does not take it, everything goes on in memory and ``fn`` runs there.

        Raises:
            StorageError: Another process holds the file, or it cannot be read.
        """
        try:
            return self._run("BEGIN IMMEDIATE", fn, *args, **kwargs)
        except _DiskRefusedError as refused:
            if self.degraded or self._connection is None:
                raise
            logger.warning("Chats can no longer be saved in %s: %s", self._path, refused.cause)
            copy = opening.memory_copy(self._connection)
            self._connection.close()
            self._go_to_memory(opening.why(refused.cause), copy)
        return self._run("BEGIN IMMEDIATE", fn, *args, **kwargs)

    def save_again(self, merge: Callable[[sqlite3.Connection, sqlite3.Connection], None]) -> bool:
        """Try to leave memory and save in the file again.

        Args:
            merge: ``merge(memory, file)`` brings what is only in memory into the file, inside a
                transaction on the file.

        Returns:
            Whether chats are saved in the file now.
        """
        if not self.degraded or self._connection is None:
            return True
        try:
            file, self.notice = opening.open_file(self._path)
            try:
                file.execute("BEGIN IMMEDIATE")
                merge(self._connection, file)
                file.execute("COMMIT")
            except BaseException:
                file.close()
                raise
        except (opening.UnusableFileError, OSError, sqlite3.Error) as error:
            logger.warning("Chats still cannot be saved in %s: %s", self._path, error)
            return False
        self._connection.close()
        self._connection = file
        self.degraded = ""
        self._on_degraded("")
        return True

    def _run(
        self,
        begin: str,
        fn: Callable[Concatenate[sqlite3.Connection, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        self.open()
        connection = self._connection
        if connection is None:  # pragma: no cover - open() always leaves a connection
            raise StorageError("The chats are closed.")
        try:
            connection.execute(begin)
            result = fn(connection, *args, **kwargs)
            connection.execute("COMMIT")
            return result
        except sqlite3.Error as error:
            if opening.is_disk_refusal(error):
                raise _DiskRefusedError(error) from error
            logger.exception("The chat database refused a job")
            raise StorageError(opening.why(error)) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _go_to_memory(self, sentence: str, copy: sqlite3.Connection) -> None:
        self._connection = copy
        self.degraded = sentence
        self._on_degraded(sentence)


class _DiskRefusedError(StorageError):
    """The disk is full, read-only or failing."""

    def __init__(self, cause: sqlite3.Error) -> None:
        super().__init__(opening.why(cause))
        self.cause = cause
