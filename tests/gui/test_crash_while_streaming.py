"""The whole application, killed while a reply streams."""

import os
import subprocess
import sys
from pathlib import Path

from app.storage import ChatStore

TOKENS_PER_S = 25
APPLICATION = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.controllers.model_controller import ModelState
from app.main import Velox
from tests.fake_engine import FakeScript, fake_engine_factory
app = QApplication([])
reply = " ".join(map(str, range(100_000)))
velox = Velox(app, fake_engine_factory(FakeScript(reply=reply, tokens_per_s=float(sys.argv[2]))))
velox.start()
def on_model():
    if velox.models.state is ModelState.READY:
        velox.window.composer.set_text("Count!")
        velox.window.composer.send_requested.emit()
velox.models.state_changed.connect(on_model)
velox.client.text_added.connect(lambda event: print(event.text, flush=True))
QTimer.singleShot(0, lambda: velox.models.load(sys.argv[1]))
app.exec()
"""


def test_kill_loses_at_most_two_seconds_of_the_reply(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = os.environ | {"VELOX_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [sys.executable, "-c", APPLICATION, str(tmp_path), str(TOKENS_PER_S)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment | {"VELOX_STARTER": str(tmp_path / "no starter")},
    )
    assert process.stdout is not None
    shown: list[str] = []
    for line in process.stdout:
        shown += line.split()
        if len(shown) > 3 * TOKENS_PER_S:
            break
    process.kill()
    process.wait(20)
    store = ChatStore(home / "data" / "chats.db")
    store.open()
    (chat,) = store.list_chats()
    question, reply = store.path(chat.id)
    store.close()
    assert (chat.title, question.content) == ("Count", "Count!")
    saved = reply.content.split()
    assert saved == shown[: len(saved)] or saved[: len(shown)] == shown
    assert len(saved) >= len(shown) - 2 * TOKENS_PER_S
    assert reply.state == "stopped"
