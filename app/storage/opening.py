"""Opening the chat database's file, and what to do when it cannot be opened."""

import contextlib
import logging
import sqlite3
import time
from pathlib import Path

from app.storage import schema
from app.storage.salvage import salvage

BUSY_TIMEOUT_S = 10.0
_BUSY_STEP_S = 0.05
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

logger = logging.getLogger(__name__)

_FULL = (
    "The disk is full, so this session's chats are kept in memory only; "
    "make room, then choose Try Again."
)
_READ_ONLY = (
    "Velox cannot write to its folder, so this session's chats are kept in memory only; "
    "allow writing there, then choose Try Again."
)
_FAILED = (
    "Chats cannot be saved on this disk at the moment, so this session's are kept in memory only; "
    "check the disk, then choose Try Again."
)
_BUSY = "Another copy of Velox is busy with your chats; close it and try again."
_NEWER = (
    "Your chats were saved by a newer version of Velox and are left untouched; update Velox to "
    "open them. Until then chats are kept in memory only."
)


class UnusableFileError(Exception):
    """The file must not be touched; the message is one plain sentence for a person."""


def open_file(path: Path) -> tuple[sqlite3.Connection, str]:
    """:func:`open_now`, waiting for another process that has just opened the file, too.

    SQLite itself does not wait for the lock that the change to WAL needs.
    """
    until = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            return open_now(path)
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= until:
                raise
            time.sleep(_BUSY_STEP_S)


def open_now(path: Path) -> tuple[sqlite3.Connection, str]:
    """Open the database in ``path`` for reading and writing, made or migrated as needed.

    Returns:
        The connection, and a plain sentence to show: empty, or that a damaged file was set aside.

    Raises:
        UnusableFileError: The file is from a newer version.
        OSError: The folder cannot be made or written.
        sqlite3.Error: The disk is full, read-only or failing, or another process holds the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = None
    version = look_at(path)
    if version is None:
        aside = set_aside(path)
        logger.error("Damaged chat database %s set aside as %s", path, aside)
    elif version > schema.VERSION:
        raise UnusableFileError(_NEWER)
    connection = connect(path)
    try:
        if version and version < schema.VERSION:
            copy_before_migration(connection, path, version)
        schema.migrate(connection)
        rescued = salvage(aside, connection) if aside else 0
    except BaseException:
        connection.close()
        raise
    return connection, _damage_notice(aside, rescued) if aside else ""


def connect(path: Path | str) -> sqlite3.Connection:
    """A connection as Velox uses it: WAL, foreign keys, waiting for other processes."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = FAST")
    except BaseException:
        connection.close()
        raise
    return connection


def look_at(path: Path) -> int | None:
    """Read the file without changing it.

    Returns:
        Its schema version, 0 when it is missing or empty, None when it is damaged.

    Raises:
        sqlite3.OperationalError: It cannot be looked at (no permission, locked, disk failing).
    """
    if not path.exists() or path.stat().st_size == 0:
        return 0
    with contextlib.closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as connection:
        try:
            result = connection.execute("PRAGMA quick_check(1)").fetchone()
            return schema.version_of(connection) if result and result[0] == "ok" else None
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE_CODES:
                return None
            raise


def set_aside(path: Path) -> Path:
    """Rename a damaged database and what belongs to it; nothing is ever overwritten.

    Raises:
        OSError: The folder cannot be written.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        aside = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
        if not aside.exists():
            break
        number += 1
    path.rename(aside)
    for ending in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
    return aside


def copy_before_migration(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Keep the database as it is beside the file, before its schema changes.

    Raises:
        sqlite3.Error: There is no room for the copy.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while (
        copy := path.with_name(f"{path.stem}.v{version}-{stamp}-{number}{path.suffix}")
    ).exists():
        number += 1
    try:
        with contextlib.closing(sqlite3.connect(copy)) as target:
            connection.backup(target)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    logger.info("Copied the chat database of version %d to %s", version, copy)
    return copy


def _damage_notice(aside: Path, rescued: int) -> str:
    got = {0: "none could be read from it", 1: "1 chat was rescued from it"}
    return (
        f"The file with your chats was damaged and was set aside as {aside.name}; "
        f"{got.get(rescued, f'{rescued:,} chats were rescued from it')}."
    )


def memory_copy(source: sqlite3.Connection) -> sqlite3.Connection:
    """A database in memory with all that ``source`` holds, of this version's schema."""
    memory = connect(":memory:")
    try:
        source.backup(memory)
        schema.migrate(memory)
    except sqlite3.Error as error:
        logger.warning("The saved chats cannot be read: %s", error)
        memory.close()
        memory = connect(":memory:")
        schema.migrate(memory)
    return memory


def read_only_copy(path: Path) -> sqlite3.Connection:
    """A database in memory with the chats of a file that is only read.

    Empty when the file is missing, damaged or from a newer version.
    """
    # A read-only folder has no room for the shared-memory file of WAL: then immutable reads.
    for options in ("mode=ro", "mode=ro&immutable=1"):
        try:
            uri = f"{path.absolute().as_uri()}?{options}"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as source:
                if 0 < schema.version_of(source) <= schema.VERSION:
                    return memory_copy(source)
        except sqlite3.Error as error:
            logger.info("Reading %s with %s: %s", path, options, error)
    memory = connect(":memory:")
    schema.migrate(memory)
    return memory


def is_disk_refusal(error: sqlite3.Error) -> bool:
    """Whether the disk is full, read-only, gone or failing (and no other process the cause)."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        *_DAMAGE_CODES,
    )


def is_busy(error: Exception) -> bool:
    """Whether another process holds the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def why(error: Exception) -> str:
    """What happened, in one plain sentence that says what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_busy(error):
        return _BUSY
    if code == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno == 28):
        return _FULL
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _READ_ONLY
    return _READ_ONLY if isinstance(error, PermissionError | NotADirectoryError) else _FAILED
