"""Pictures of the window for the README, from a real conversation with the starter model.

Run as ``python -m app.screenshots [FOLDER]``; the pictures go to ``docs/images``. Takes a minute or
two, for the model really answers. Nothing of the person's own chats and settings is touched.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, QRect, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from velox_core import paths
from velox_core.models.starter import STARTER_VARIABLE, install_starter

_FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
_TIMEOUT_MS = 180_000
_EARLIER = (
    "How long should sourdough rise at 21 degrees?",
    "Write a regular expression for ISO dates.",
)
_TALK = (
    "I'm planning a four-day trip to Lisbon in May. We are vegetarians. What should we see first?",
    "Which food should we try there?",
    "Write a short Python list named `plan` with three stops for day one, in a code block.",
)
_COMPARED = "Where are we going, and when?"
_COMPARE_SIZE = (760, 440)
_REMEMBERED_HEIGHT = 470  # what was said before the eviction began, and the line after it
_SETTINGS = {
    "memory.budget": 160,
    "sampling.temperature": 0.0,
    "sampling.max_tokens": 110,
    "chat.system_prompt": "You are a helpful travel guide. Answer in two or three sentences.",
}
_LAST_CHARS = 120  # of the reply that is being made when the picture is taken


def take(folder: Path) -> None:
    """Talk to the starter model in a home of its own and save the pictures in ``folder``."""
    starter = install_starter()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="velox-pictures-") as home:
        os.environ[paths.HOME_VARIABLE] = home
        os.environ[STARTER_VARIABLE] = str(starter)
        _Session(folder).run()


class _Session:
    """One run of the application, driven like a person does."""

    def __init__(self, folder: Path) -> None:
        from app.main import Velox
        from app.widgets import theme

        app = QApplication.instance()
        self._app = app if isinstance(app, QApplication) else QApplication(["velox"])
        self._folder = folder
        theme.apply_theme(self._app)
        self._velox = Velox(self._app)

    def run(self) -> None:
        """Make the conversation, then the pictures in both schemes."""
        velox = self._velox
        velox.window.resize(*_window_size())
        velox.start()
        self._wait(lambda: velox.models.info is not None)
        for prompt in _EARLIER:
            velox.chats.new_chat()
            velox.chat_settings.set("sampling.max_tokens", 24)
            self._ask(prompt)
        velox.window.sidebar.pin_requested.emit(velox.open_chat.chat_id, True)
        velox.chats.new_chat()
        for key, value in _SETTINGS.items():
            velox.chat_settings.set(key, value)
        velox.settings.set("memory.show_remembered", True)
        for prompt in _TALK[:-1]:
            self._ask(prompt)
        self._type(_TALK[-1])
        self._wait(lambda: len(self._last_text()) > _LAST_CHARS)
        self._picture("main", velox.window)
        self._wait(lambda: not velox.client.busy)
        self._memory_pictures()
        velox.settings_window.open()
        if velox.settings_window.window is not None:
            self._picture("settings", velox.settings_window.window)
        velox.models_window.open()
        self._wait(lambda: bool(velox.models_window.found and velox.models_window.downloads))
        if velox.models_window.window is not None:
            self._picture("models", velox.models_window.window)
        if not velox.close():
            os._exit(1)

    def _memory_pictures(self) -> None:
        """What is remembered, what budgets cost, and both caches side by side; light only."""
        velox = self._velox
        transcript = velox.window.transcript
        transcript.verticalScrollBar().setValue(0)
        self._picture("remembered", transcript.viewport(), ("light",), _REMEMBERED_HEIGHT)
        transcript.scroll_to_end()
        velox.quality.start()
        self._wait(lambda: velox.quality.window is not None)
        if velox.quality.window is not None:
            self._picture("quality", velox.quality.window, ("light",))
            velox.quality.window.close()
        velox.compare.open()
        window = velox.compare.window
        if window is not None:
            window.resize(*_COMPARE_SIZE)
            window.prompt.setPlainText(_COMPARED)
            window.button.click()
            self._wait(lambda: not velox.client.busy)
            self._picture("compare", window, ("light",))
            window.close()

    def _last_text(self) -> str:
        shown = self._velox.window.transcript
        message = shown.message(shown.message_ids()[-1])
        return message.text if message else ""

    def _ask(self, text: str) -> None:
        self._type(text)
        self._wait(lambda: not self._velox.client.busy)

    def _type(self, text: str) -> None:
        self._velox.window.composer.set_text(text)
        self._velox.window.composer.send_button.click()
        self._wait(lambda: self._velox.client.busy)

    def _picture(
        self,
        name: str,
        widget: QWidget,
        schemes: Sequence[str] = ("light", "dark"),
        height: int = 0,
    ) -> None:
        for scheme in schemes:
            self._velox.settings.set("appearance.scheme", scheme)
            self._pause(250)
            shown = QRect(0, 0, widget.width(), height or widget.height())
            widget.grab(shown).save(str(self._folder / f"{name}-{scheme}.png"))

    def _wait(self, condition: Callable[[], bool]) -> None:
        """Serve the event loop until ``condition`` holds.

        Raises:
            TimeoutError: It does not hold in time.
        """
        waited = 0
        while not condition():
            self._pause(20)
            waited += 20
            if waited > _TIMEOUT_MS:
                raise TimeoutError("the model did not answer in time")

    def _pause(self, milliseconds: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()


def _window_size() -> tuple[int, int]:
    from app.widgets import theme

    return theme.WINDOW_SIZE


def main() -> int:
    """Take the pictures; the exit status."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
