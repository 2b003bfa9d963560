"""A signal ends the application from its event loop, never from the middle of other work."""

import signal
import threading

import pytest

from app.console import call_on_interrupt


@pytest.fixture
def handlers():
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in usual.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_waits_for_the_lock_that_running_code_holds(qtbot, handlers, number):
    lock, free = threading.Lock(), []
    timer = call_on_interrupt(lambda: free.append(not lock.locked()))
    with lock:
        signal.raise_signal(number)
        assert free == []
    qtbot.waitUntil(lambda: bool(free))
    timer.stop()
    assert free == [True]
