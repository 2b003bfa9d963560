"""The client and its worker thread, driven by the fake engine."""

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.workers.engine_client import EngineClient
from tests.fake_engine import FakeEngine, FakeScript, fake_engine_factory
from velox_core.engine.events import CacheSettings, SamplingParams, Turn


@pytest.fixture
def make_client(qapp):
    clients = []

    def make(script: FakeScript | None = None, **kwargs) -> EngineClient:
        client = EngineClient(kwargs.pop("factory", fake_engine_factory(script)), **kwargs)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.shutdown()


def load(qtbot: QtBot, client: EngineClient) -> None:
    with qtbot.waitSignal(client.model_loaded, timeout=5000):
        client.load("/fake/model")


def test_reply_streams_text_and_one_terminal_event(qtbot, make_client) -> None:
    client = make_client(FakeScript(reply="one two three", tokens_per_s=200))
    load(qtbot, client)
    texts: list[str] = []
    client.text_added.connect(lambda event: texts.append(event.text))
    with qtbot.waitSignal(client.reply_finished, timeout=5000) as finished:
        request_id = client.reply("chat", [Turn("user", "Count")])
        assert client.busy
    event = finished.args[0]
    assert (event.request_id, event.text) == (request_id, "one two three")
    assert "".join(texts) == "one two three"
    assert event.stats.generated_tokens == 3
    assert not client.busy


def test_signals_arrive_on_the_gui_thread(qtbot, make_client) -> None:
    client = make_client()
    threads = []
    client.model_loaded.connect(lambda _event: threads.append(threading.current_thread()))
    load(qtbot, client)
    assert threads == [threading.main_thread()]


def test_cancel_stops_a_running_and_a_waiting_reply(qtbot, make_client) -> None:
    client = make_client(FakeScript(reply="word " * 10_000, tokens_per_s=100))
    load(qtbot, client)
    stopped: dict[str, object] = {}
    client.reply_stopped.connect(lambda event: stopped.update({event.request_id: event}))
    with qtbot.waitSignal(client.text_added, timeout=5000):
        first = client.reply("a", [Turn("user", "Go")])
    second = client.reply("b", [Turn("user", "Go")])
    client.cancel(second)
    client.cancel(first)
    qtbot.waitUntil(lambda: len(stopped) == 2, timeout=5000)
    assert stopped[first].text.startswith("word")
    assert stopped[first].stats.stop_reason == "cancelled"
    assert (stopped[second].text, stopped[second].stats) == ("", None)


def test_set_cache_acts_in_the_middle_of_a_reply(qtbot, make_client) -> None:
    client = make_client(FakeScript(reply="word " * 1000, tokens_per_s=100))
    load(qtbot, client)
    sampling = SamplingParams(max_tokens=1000)
    request_id = client.reply("a", [Turn("user", "Go")], sampling, CacheSettings(512, 4))
    with qtbot.waitSignal(
        client.cache_measured, timeout=5000, check_params_cb=lambda e: e.stats.budget == 64
    ):
        client.set_cache("a", CacheSettings(64, 4))
    with qtbot.waitSignal(client.reply_stopped, timeout=5000) as stopped:
        client.cancel(request_id)
    assert stopped.args[0].stats.cache.tokens_kept <= 64


def test_an_exception_fails_the_request_and_the_worker_goes_on(qtbot, make_client) -> None:
    class Faulty(FakeEngine):
        def _reply(self, request, cancel) -> None:
            raise RuntimeError("secret detail")

    client = make_client(factory=lambda emit, mailbox: Faulty(emit, mailbox, FakeScript()))
    load(qtbot, client)
    with qtbot.waitSignal(client.request_failed, timeout=5000) as failed:
        client.reply("a", [Turn("user", "Go")])
    assert "secret" not in failed.args[0].message
    load(qtbot, client)


def test_tasks_and_memory_have_signals_of_their_own(qtbot, make_client) -> None:
    client = make_client(FakeScript(reply="one two three four"))
    load(qtbot, client)
    turns = [Turn("user", "a b c", message_id="u")]
    client.watch_memory("a")
    with qtbot.waitSignal(client.memory_measured, timeout=5000) as measured:
        client.reply("a", turns, cache=CacheSettings(4, 1), reply_message_id="r")
    names = [message.message_id for message in measured.args[0].messages]
    assert names == ["u", "r"]
    with qtbot.waitSignal(client.conversation_reread, timeout=5000) as reread:
        client.reread("a", turns, CacheSettings(16, 1))
    assert reread.args[0].stats.tokens_kept == 3
    with qtbot.waitSignal(client.quality_checked, timeout=5000) as checked:
        client.check_quality("a", turns, [8, 16])
    assert [point.budget for point in checked.args[0].points] == [8, 16]


@pytest.mark.parametrize("stage", ["idle", "load", "prefill", "decode"])
def test_shutdown_ends_the_thread_at_any_stage(qtbot, make_client, stage) -> None:
    slow = 60.0
    script = FakeScript(
        reply="word " * 10_000,
        tokens_per_s=100,
        load_s=slow if stage == "load" else 0,
        prefill_s=slow if stage == "prefill" else 0,
    )
    client = make_client(script)
    if stage == "load":
        with qtbot.waitSignal(client.load_progressed, timeout=5000):
            client.load("/fake/model")
    elif stage != "idle":
        load(qtbot, client)
        client.reply("a", [Turn("user", "Go")])
    if stage == "decode":
        qtbot.waitSignal(client.text_added, timeout=5000).wait()
    assert client.shutdown(timeout_s=3.0)
