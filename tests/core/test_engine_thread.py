"""The engine on a thread of its own: models come and go, and nothing stays behind."""

import threading
import weakref

from tests.core.engine_runner import GREEDY, user
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.engine import Engine
from velox_core.engine.events import (
    CacheSettings,
    LoadRequest,
    ReplyFinished,
    ReplyRequest,
    UnloadRequest,
)
from velox_core.engine.mailbox import Mailbox
from velox_core.engine.memory import active_nbytes

SMALL = CacheSettings(budget=32, n_sink=4)


def test_switching_models_back_and_forth_keeps_memory_flat(tmp_path) -> None:
    one = make_tiny_folder(tmp_path / "one")
    other = make_tiny_folder(tmp_path / "other", config={"hidden_size": 64}, seed=1)
    events, models, held = [], [], []

    def work() -> None:
        engine = Engine(events.append, Mailbox())
        for n, folder in enumerate((one, other, one, other, one)):
            engine.handle(LoadRequest(f"load{n}", str(folder)), threading.Event())
            models.append(weakref.ref(engine._loaded.model))
            request = ReplyRequest(f"reply{n}", "chat", (user("hi " * 30),), GREEDY, SMALL)
            engine.handle(request, threading.Event())
            held.append(active_nbytes())
        engine.handle(UnloadRequest("unload"), threading.Event())
        held.append(active_nbytes())
        engine.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=120)
    assert not thread.is_alive()
    assert sum(isinstance(event, ReplyFinished) for event in events) == 5
    assert [model() for model in models] == [None] * 5
    # Weights are over 100 KB; mlx keeps a few KB of its own once it ran.
    assert max(held[2], held[4]) < held[0] + 8192
    assert held[3] < held[1] + 8192
    assert held[5] < held[0] - 100_000
