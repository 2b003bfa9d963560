"""How often something may be told, and how much of the time telling may take."""

import time


class Pace:
    """Lets at most ``per_second`` events through."""

    def __init__(self, per_second: float) -> None:
        self._interval = 1 / per_second
        self._next = 0.0

    def due(self) -> bool:
        """Whether an event may go out now; if so, the next one has to wait."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._interval
        return True

    def rest(self, seconds: float) -> None:
        """Let nothing through for so long from now, even if it would be due."""
        self._next = max(self._next, time.monotonic() + seconds)
