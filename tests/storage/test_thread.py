import threading

import pytest

from app.storage import ChatStore, ReplySaver, StorageError, StorageThread
from app.storage import reply_saver as reply_saver_module


@pytest.fixture
def thread():
    thread = StorageThread()
    yield thread
    thread.close()


def test_jobs_run_in_order_on_one_other_thread(thread) -> None:
    done: list[tuple[int, int]] = []
    futures = [
        thread.submit(lambda n: done.append((n, threading.get_ident())), n) for n in range(50)
    ]
    for future in futures:
        future.result(5)
    assert [n for n, _ident in done] == list(range(50))
    assert {ident for _n, ident in done} == {done[0][1]} != {threading.get_ident()}


def test_error_is_kept_in_the_future_and_the_thread_goes_on(thread, caplog) -> None:
    def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        thread.submit(fail).result(5)
    assert "broken" in caplog.text
    assert thread.submit(lambda: 7).result(5) == 7


def test_close_runs_what_waits_and_then_refuses(thread) -> None:
    later = thread.submit_after(60, lambda: "saved")
    first = thread.submit(lambda: "first")
    assert thread.close()
    assert (first.result(0), later.result(0)) == ("first", "saved")
    with pytest.raises(StorageError, match="closing"):
        thread.submit(lambda: None)


def test_delayed_jobs_run_after_their_delay_while_others_pass(thread) -> None:
    order: list[str] = []
    late = thread.submit_after(0.15, order.append, "late")
    thread.submit_after(0.05, order.append, "soon")
    thread.submit(order.append, "now")
    late.result(5)
    assert order == ["now", "soon", "late"]


def test_reply_saver_saves_the_newest_text_and_nothing_after_the_end(
    thread, database, monkeypatch
) -> None:
    monkeypatch.setattr(reply_saver_module, "SAVE_EVERY_S", 0.02)
    store = ChatStore(database)
    chat = thread.submit(store.create_chat).result(5)
    reply = thread.submit(store.add_message, chat.id, "assistant", "", state="partial").result(5)
    saver = ReplySaver(store, thread, reply.id)
    saver.update("a")
    saver.update("a b", (1, 2))
    thread.submit_after(0.1, lambda: None).result(5)
    saved = thread.submit(store.message, reply.id).result(5)
    assert (saved.content, saved.token_ids, saved.state) == ("a b", (1, 2), "partial")
    saver.update("a b c")
    saver.end()
    thread.submit(store.finish_message, reply.id, "all of it")
    thread.submit_after(0.1, lambda: None).result(5)
    assert thread.submit(store.message, reply.id).result(5).content == "all of it"
    thread.submit(store.close).result(5)
