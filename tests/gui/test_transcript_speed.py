"""Long chats open at once, and a fast stream never holds the window up."""

import time

import psutil
import pytest
from PySide6.QtCore import QTimer

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView
from tests.gui.event_gap import EventGap
from tests.gui.transcript_samples import chat, long_reply

pytestmark = pytest.mark.alone

TOKENS_PER_S = 200
CHARACTERS_PER_TOKEN = 4


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 672)
    view.show()
    qtbot.waitExposed(view)
    return view


def stream(qtbot, view: TranscriptView, text: str, speed_up: float = 1.0) -> None:
    """Feed ``text`` to reply "r" like an engine that sends 30 events a second."""
    view.set_messages([MessageView("u", "user", "Go on"), MessageView("r", "assistant")])
    view.begin_stream("r")
    size = round(TOKENS_PER_S * CHARACTERS_PER_TOKEN / 30 * speed_up)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    timer = QTimer(view)
    timer.timeout.connect(lambda: view.append_text("r", pieces.pop(0)) if pieces else timer.stop())
    timer.start(33)
    qtbot.waitUntil(lambda: not timer.isActive(), timeout=120_000)
    view.end_stream("r", MessageView("r", "assistant", text))


def test_thousand_messages_open_in_under_a_second(view, qtbot):
    messages = chat(1000)
    began = time.perf_counter()
    view.set_messages(messages)
    view.repaint()
    assert time.perf_counter() - began < 1.0
    assert view.visible_message_ids()[-1] == "m999"
    assert len(view.drawn_message_ids()) < 30


def test_scrolling_a_long_chat_holds_nothing_up(view, qtbot):
    view.set_messages(chat(1000))
    bar = view.verticalScrollBar()
    with EventGap() as gap:
        for step in range(60):
            bar.setValue(bar.value() - (120 if step % 10 else bar.maximum() // 8))
            qtbot.wait(5)  # longer than the timer of the gap
    assert gap.longest_s < 0.1
    assert len(view.drawn_message_ids()) < 40


def test_long_reply_streams_without_gaps_in_flat_memory(view, qtbot):
    """60 KB in a tenth of the time that 200 tokens/s take: ten times the load for the gap."""
    process = psutil.Process()
    stream(qtbot, view, long_reply(8_000), 10)
    before = process.memory_info().rss
    text = long_reply(60_000)
    with EventGap() as gap:
        stream(qtbot, view, text, 10)
        qtbot.waitUntil(lambda: not view.busy, timeout=20_000)
    assert gap.longest_s < 0.1
    assert view.message("r").text == text
    assert process.memory_info().rss - before < 60 * 2**20


@pytest.mark.parametrize("line", ["x = 1  # a line of code\n", "- an item *of* a list\n", "word "])
def test_one_endless_block_streams_without_gaps(view, qtbot, line):
    start = "```python\n" if "code" in line else ""
    with EventGap() as gap:
        stream(qtbot, view, start + line * (30_000 // len(line)), 20)
        qtbot.waitUntil(lambda: not view.busy, timeout=20_000)
    assert gap.longest_s < 0.1


def test_huge_message_is_drawn_bit_by_bit(view, qtbot):
    with EventGap() as gap:
        view.append_message(MessageView("u", "user", "word " * 40_000))
        view.append_message(MessageView("v", "user", "x" * 100_000))
        qtbot.waitUntil(lambda: not view.busy, timeout=20_000)
    assert gap.longest_s < 0.3


def test_shading_a_long_reply_costs_little(view, qtbot):
    text = long_reply(60_000)
    view.set_messages([MessageView("r", "assistant", text)])
    qtbot.waitUntil(lambda: not view.busy, timeout=20_000)
    ranges = [(at, at + 4, at % 7 / 7) for at in range(0, len(text), 4)]
    began = time.thread_time()
    view.set_shading("r", ranges)
    view.repaint()
    assert time.thread_time() - began < 0.1
