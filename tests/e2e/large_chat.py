"""Opens a chat of 1,000 messages in the whole window, in a process of its own.

Prints seconds until all messages are there, and the process's memory in bytes.
"""

import json
import sys
import time
from pathlib import Path

import psutil
from PySide6.QtWidgets import QApplication

from app.main import Velox
from app.storage.import_formats import import_file
from app.storage.store import ChatStore
from app.widgets import theme
from tests.fake_engine import fake_engine_factory
from velox_core import paths

BODY = "Some **bold** words and `code`:\n\n- one\n- two\n\n```python\nprint('x')\n```\n"
N_MESSAGES = 1000


def write_chat(path: Path) -> None:
    """Write an export with one long chat."""
    messages = [
        {
            "id": f"m{i}",
            "parent_id": f"m{i - 1}" if i else None,
            "shown": True,
            "role": "user" if i % 2 == 0 else "assistant",
            "content": f"Question {i}" if i % 2 == 0 else BODY,
        }
        for i in range(N_MESSAGES)
    ]
    chat = {"title": "Long", "messages": messages}
    path.write_text(json.dumps({"format": "velox-chats", "version": 1, "chats": [chat]}))


def main() -> int:
    """Import it, open it, measure."""
    home = paths.data_dir()
    home.mkdir(parents=True, exist_ok=True)
    write_chat(home / "long.json")
    store = ChatStore(home / "chats.db")
    store.open()
    [chat_id] = import_file(store, home / "long.json")
    store.close()
    app = QApplication(["velox"])
    theme.apply_theme(app)
    velox = Velox(app, fake_engine_factory())
    velox.start()
    for _ in range(20):
        app.processEvents()
    started = time.perf_counter()
    velox.chats.open_chat(chat_id)
    while len(velox.window.transcript.message_ids()) < N_MESSAGES:
        app.processEvents()
        if time.perf_counter() - started > 60:
            return 1
    opened_s = time.perf_counter() - started
    velox.window.transcript.scroll_to_end()
    for _ in range(200):
        app.processEvents()
    print(json.dumps({"opened_s": opened_s, "nbytes": psutil.Process().memory_info().rss}))
    return 0 if velox.close() else 1


if __name__ == "__main__":
    sys.exit(main())
