"""The window with the real engine and the real starter model."""

import os
import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.controllers.model_controller import ModelState
from app.main import Velox

pytestmark = [pytest.mark.starter, pytest.mark.alone]

QUESTION = "What is the capital of France? Answer in one sentence."


@pytest.fixture
def start(qtbot, qapp, starter_path):
    """Starts the application as often as asked for; ends it after the test."""
    started = []

    def begin() -> Velox:
        velox = Velox(qapp)
        started.append(velox)
        velox.start()
        return velox

    yield begin
    for velox in started:
        assert velox.close()
        velox.window.deleteLater()


def wait_for_model(qtbot, velox):
    qtbot.waitUntil(lambda: velox.models.state is ModelState.READY, timeout=60_000)


def ask(qtbot, velox, text):
    """Type and send as a person does; returns the reply's text."""
    velox.window.composer.set_text(text)
    with qtbot.waitSignal(velox.replies.ended, timeout=120_000) as ended:
        velox.window.composer.send_button.click()
    return ended.args[1].content


def test_window_answers_and_finds_the_chat_again_after_a_restart(qtbot, start):
    velox = start()
    wait_for_model(qtbot, velox)
    velox.chat_settings.set("sampling.temperature", 0.0)
    assert ask(qtbot, velox, QUESTION) == "The capital of France is Paris."
    shown = [velox.window.transcript.message(i) for i in velox.window.transcript.message_ids()]
    assert [(m.role, m.text) for m in shown] == [
        ("user", QUESTION),
        ("assistant", "The capital of France is Paris."),
    ]
    assert any("tok/s" in part for part in shown[1].stats)
    seen, kept = (f"{n:,}" for n in _figures(velox))
    assert velox.window.panel.figures.values()[2] == f"{kept} / {seen}"
    assert velox.close()

    again = start()
    qtbot.waitUntil(lambda: len(again.window.transcript.message_ids()) == 2, timeout=10_000)
    texts = [again.window.transcript.message(i).text for i in again.window.transcript.message_ids()]
    assert texts == [QUESTION, "The capital of France is Paris."]
    assert again.window.windowTitle().startswith("What is the capital of France")


def test_budget_moved_during_a_reply_bounds_the_cache_at_once(qtbot, start):
    velox = start()
    wait_for_model(qtbot, velox)
    velox.chat_settings.set("sampling.max_tokens", 150)
    velox.chat_settings.set("sampling.temperature", 0.0)
    panel, gaps = velox.window.panel, _LoopGaps()
    velox.window.composer.set_text("Tell me a long story about the sea.")
    velox.window.composer.send_button.click()
    qtbot.waitUntil(lambda: _figures(velox)[0] > 90, timeout=60_000)
    gaps.start()
    with qtbot.waitSignal(velox.replies.ended, timeout=120_000):
        panel.budget.slider.setValue(panel.budget.position_of(64))
        qtbot.waitUntil(lambda: 0 < _figures(velox)[1] <= 64, timeout=10_000)
    seen, kept = _figures(velox)
    assert kept == 64 < seen
    assert panel.gauge.ratio() == pytest.approx(seen / kept, rel=0.6)
    assert gaps.longest_s() < 0.1


def test_closing_while_a_reply_is_made_ends_in_time_and_keeps_its_text(qtbot, start):
    velox = start()
    wait_for_model(qtbot, velox)
    velox.window.composer.set_text("Tell me a long story about the sky.")
    velox.window.composer.send_button.click()
    transcript = velox.window.transcript
    qtbot.waitUntil(
        lambda: (
            len(ids := transcript.message_ids()) == 2 and len(transcript.message(ids[1]).text) > 40
        ),
        timeout=60_000,
    )
    said = transcript.message(transcript.message_ids()[1]).text
    started = time.monotonic()
    assert velox.close()
    assert time.monotonic() - started < 3.0

    again = start()
    view = again.window.transcript
    qtbot.waitUntil(lambda: len(view.message_ids()) == 2, timeout=10_000)
    assert view.message(view.message_ids()[1]).text.startswith(said[:40])


def _figures(velox):
    """Tokens seen and kept, read off the panel."""
    kept, _, seen = velox.window.panel.figures.values()[2].partition(" / ")
    if not seen:
        return 0, 0
    return int(seen.replace(",", "")), int(kept.replace(",", ""))


class _LoopGaps:
    """Measures how long the event loop was not served, by a timer of 5 ms.

    Where other programs want more than the machine has, a gap says nothing about this one; then
    the time counts that this thread itself took between two ticks.
    """

    def __init__(self):
        self._times = []
        self._timer = QTimer()
        self._timer.timeout.connect(self._on_timeout)

    def start(self):
        QApplication.processEvents()
        self._timer.start(5)

    def longest_s(self):
        self._timer.stop()
        which = 1 if os.getloadavg()[0] > (os.cpu_count() or 1) else 0
        times = [moment[which] for moment in self._times]
        return max(after - before for before, after in pairwise(times))

    def _on_timeout(self):
        self._times.append((time.perf_counter(), time.thread_time()))
