"""One running Velox a data folder; a second start brings the first to the front."""

import hashlib
import logging
import time
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_TIMEOUT_S = 3.0
_STEP_MS = 200

logger = logging.getLogger(__name__)


class SingleInstance(QObject):
    """Holds the place of the one instance, or calls the one that holds it.

    A lock file decides, so that two starts at the same moment cannot both win; a lock left by a
    crash is taken over. Where the folder cannot be written, the local server alone decides.

    Signals:
        activation_requested: A second start asks this instance to come to the front.
    """

    activation_requested = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        digest = hashlib.sha256(str(folder.absolute()).encode("utf-8", "replace")).hexdigest()
        self._name = f"velox-{digest[:24]}"
        self._folder = folder
        self._lock: QLockFile | None = None
        self._server: QLocalServer | None = None

    def acquire(self) -> bool:
        """Become the one instance.

        Returns:
            False when there is one already; it was asked to come to the front.
        """
        lock = self._try_lock()
        if lock is None or not lock.isLocked():
            if self._call_first(ANSWER_TIMEOUT_S if lock is not None else 0.0):
                return False
            if lock is not None:
                logger.warning("Another Velox is running but does not answer")
                return False
        self._lock = lock
        self._listen()
        return True

    def release(self) -> None:
        """Give the place free."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _try_lock(self) -> QLockFile | None:
        """The lock, held or not; None when the folder cannot be written."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            logger.info("No lock file in %s: %s", self._folder, error)
            return None
        lock = QLockFile(str(self._folder / "velox.lock"))
        lock.setStaleLockTime(0)
        if not lock.tryLock(0) and lock.error() != QLockFile.LockError.LockFailedError:
            return None
        return lock

    def _call_first(self, timeout_s: float) -> bool:
        until = time.monotonic() + timeout_s
        while True:
            socket = QLocalSocket()
            socket.connectToServer(self._name)
            if socket.waitForConnected(_STEP_MS):
                # The call itself is the message: nothing is sent, nothing need be trusted.
                socket.disconnectFromServer()
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_STEP_MS / 1000)

    def _listen(self) -> None:
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_called)
        # A crash leaves the socket's file behind; the lock says that nobody uses it.
        QLocalServer.removeServer(self._name)
        if not self._server.listen(self._name):
            logger.warning("A second start cannot reach us: %s", self._server.errorString())

    @Slot()
    def _on_called(self) -> None:
        while self._server is not None and self._server.hasPendingConnections():
            connection = self._server.nextPendingConnection()
            connection.disconnected.connect(connection.deleteLater)
            connection.disconnectFromServer()
            self.activation_requested.emit()
