"""Runs the whole application and quits it: ``python -m tests.e2e.quit_window STAGE WAY``.

Prints the time at which it was asked to quit. When the process ends, and how, is what counts.
"""

import os
import signal
import sys
import time

from PySide6.QtCore import QCoreApplication, QTimer

import app.main as application


class Quitter(application.Velox):
    """Quits itself when it has come to a stage."""

    def start(self) -> None:
        super().start()
        stage = sys.argv[1]
        self._asked = False
        if stage == "import":
            QTimer.singleShot(300, self.ask_to_quit)
        elif stage == "loading":
            self.client.load_progressed.connect(self.ask_to_quit)
        elif stage == "ready":
            self.client.model_loaded.connect(self.ask_to_quit)
        else:
            self.client.model_loaded.connect(self.send)
            progress = self.client.prefill_progressed if stage == "prefill" else None
            (progress or self.client.text_added).connect(self.ask_to_quit)
            if stage == "stopped":
                self.client.text_added.disconnect(self.ask_to_quit)
                self.client.text_added.connect(lambda _event: self.chats.stop())
                self.client.reply_stopped.connect(self.ask_to_quit)

    def send(self, _event: object) -> None:
        text = "The sea is wide. " * 300 if sys.argv[1] == "prefill" else "Tell me a story."
        self.window.composer.set_text(text)
        self.window.composer.send_button.click()

    def ask_to_quit(self, _event: object = None) -> None:
        if self._asked:
            return
        self._asked = True
        print(time.time(), flush=True)
        way = sys.argv[2]
        if way == "menu":
            self.menus.quit.trigger()
        elif way == "system":
            QCoreApplication.quit()
        elif way == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            self.window.close()


if __name__ == "__main__":
    application.Velox = Quitter
    raise SystemExit(application.run())
