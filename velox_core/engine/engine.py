"""The engine: does one request after the other, on the one thread that owns mlx."""

import threading
from collections.abc import Callable

from velox_core.engine.events import Event, Request, RequestFailed
from velox_core.engine.mailbox import Mailbox


class Engine:
    """Made, used and closed on one thread. Emits exactly one terminal event per request."""

    def __init__(self, emit: Callable[[Event], None], mailbox: Mailbox) -> None:
        self._emit = emit
        self._mailbox = mailbox

    def handle(self, request: Request, cancel: threading.Event) -> None:
        """Do ``request``; returns after its terminal event."""
        self._emit(RequestFailed(request.request_id, "No model can be loaded yet."))

    def apply_live_changes(self) -> None:
        """Read the mailbox while no request runs."""

    def close(self) -> None:
        """Free everything; the thread's last act."""
