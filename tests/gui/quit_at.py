"""A small application that quits at a given stage: ``python -m tests.gui.quit_at STAGE FOLDER``.

Prints when it was asked to quit; how soon the process ends, and its exit status, are what counts.
"""

import sys
import time

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Slot

from app.console import leave
from app.log import set_up_logging
from app.workers.engine_client import EngineClient
from velox_core.engine.events import CacheSettings, SamplingParams, Turn

PROMPT = "The sea is wide and deep. " * 300


class Quitter(QObject):
    def __init__(self, client: EngineClient, stage: str, folder: str) -> None:
        super().__init__()
        self._client = client
        self._n_texts = 0
        client.request_failed.connect(self._on_failed)
        client.model_loaded.connect(self._on_loaded)
        if stage == "weights":
            client.load_progressed.connect(self._on_load_progressed)
        elif stage == "prefill":
            client.prefill_progressed.connect(self._on_prefill_progressed)
        elif stage == "decode":
            client.text_added.connect(self._on_text_added)
        self._prompt = PROMPT if stage == "prefill" else "Tell me a story."
        client.load(folder)
        if stage == "import":
            QTimer.singleShot(300, QCoreApplication.quit)

    @Slot(object)
    def _on_failed(self, event) -> None:
        print(event.message, file=sys.stderr)
        QCoreApplication.exit(3)

    @Slot(object)
    def _on_loaded(self, event) -> None:
        turns = [Turn("user", self._prompt)]
        sampling = SamplingParams(seed=1, max_tokens=2000)
        self._client.reply("chat", turns, sampling, CacheSettings(bounded=False))

    @Slot(object)
    def _on_load_progressed(self, event) -> None:
        if event.fraction >= 0.25:
            QCoreApplication.quit()

    @Slot(object)
    def _on_prefill_progressed(self, event) -> None:
        QCoreApplication.quit()

    @Slot(object)
    def _on_text_added(self, event) -> None:
        self._n_texts += 1
        if self._n_texts == 3:
            QCoreApplication.quit()


def main() -> int:
    set_up_logging()
    application = QCoreApplication([])
    client = EngineClient()
    quitter = Quitter(client, *sys.argv[1:])
    status = application.exec()
    print(time.time(), flush=True)
    del quitter
    return leave(client, status)


if __name__ == "__main__":
    raise SystemExit(main())
