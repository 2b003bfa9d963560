"""A virtual screen with a keyboard for the frozen application, or the closest thing to it."""

import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Screen:
    """Where the window is shown.

    Attributes:
        display: The X display; empty where there is no X server, and nothing can be typed.
    """

    display: str

    @property
    def variables(self) -> dict[str, str]:
        """What tells the application to use it."""
        if self.display:
            return {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}
        return {"QT_QPA_PLATFORM": "offscreen"}

    def window(self, home: Path) -> str:
        """The window of the application whose VELOX_HOME is ``home``, empty if there is none yet.

        Without an X server the database tells: it is opened right after the window is shown.
        """
        if not self.display:
            return str(home) if (home / "data" / "chats.db").is_file() else ""
        return next(iter(self._xdotool("search", "--onlyvisible", "--name", "Velox")), "")

    def is_empty(self) -> bool:
        """Whether no window is left."""
        return not self.display or not self.window(Path())

    def type(self, window: str, text: str) -> None:
        """Type ``text`` into ``window``."""
        self._xdotool("windowfocus", "--sync", window)
        self._xdotool("type", "--delay", "20", text)

    def press(self, key: str) -> None:
        """Press one key."""
        self._xdotool("key", key)

    def _xdotool(self, *arguments: str) -> list[str]:
        done = subprocess.run(
            ["xdotool", *arguments],
            env={**os.environ, "DISPLAY": self.display},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.split()


@contextmanager
def open_screen() -> Iterator[Screen]:
    """A screen of its own; its number is chosen by the X server."""
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        warnings.warn(
            f"{' and '.join(missing)} missing: the window is tried without a screen", stacklevel=2
        )
        yield Screen("")
        return
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x820x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    with open(reader) as file:  # noqa: PTH123
        number = file.readline().strip()
    try:
        if not number:
            warnings.warn("Xvfb did not start: the window is tried without a screen", stacklevel=2)
        yield Screen(f":{number}" if number else "")
    finally:
        server.terminate()
        server.wait(10)
