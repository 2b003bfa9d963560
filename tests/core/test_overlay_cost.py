"""Telling what is remembered while a reply is made: under 1 % of the time, and nothing when off."""

import time

import pytest

from tests.core.engine_runner import EngineRunner
from tests.tiny_folder import make_tiny_folder
from velox_core.engine import reply
from velox_core.engine.events import (
    CacheSettings,
    MemoryMeasured,
    ReplyRequest,
    SamplingParams,
    Turn,
)

BUDGET = CacheSettings(512, 4)
PROSE = "The harbour lies to the north of the town. Ships come in the morning and leave at night. "


class Clock:
    """Counts what telling takes on the engine's thread, as the reply's own clock does not."""

    def __init__(self, monkeypatch, seconds: float = 0.0) -> None:
        self.calls, self.spent = 0, 0.0
        place, tell = reply.Reply._place_reply, reply.Reply._tell_memory

        def timed(function):
            def run(itself, *args):
                began = time.perf_counter()
                time.sleep(seconds)
                function(itself, *args)
                self.spent += time.perf_counter() - began
                self.calls += 1

            return run

        monkeypatch.setattr(reply.Reply, "_place_reply", timed(place))
        monkeypatch.setattr(reply.Reply, "_tell_memory", timed(tell))


def answer(runner, prompt: str, max_tokens: int) -> float:
    """Make one reply; returns seconds of decoding."""
    turns = (Turn("user", prompt, message_id="u"),)
    sampling = SamplingParams(temperature=0, max_tokens=max_tokens)
    stats = runner.run(ReplyRequest("r", "chat", turns, sampling, BUDGET, "answer")).stats
    return (stats.generated_tokens - 1) / stats.decode_tps


def test_slow_telling_happens_less_often(tmp_path, monkeypatch) -> None:
    runner = EngineRunner()
    runner.load(make_tiny_folder(tmp_path / "tiny"))
    runner.mailbox.watch("chat")
    monkeypatch.setattr(reply, "_MEMORY_PER_S", 1000)
    clock = Clock(monkeypatch, seconds=0.02)
    decoding = answer(runner, "hello", 400)
    # One comes while reading, one at once, one at the end; the others take 40 ms, or 0.5 %.
    assert clock.calls / 2 <= 3 + decoding / (0.04 / 0.005)


def test_nothing_is_done_when_off(tmp_path, monkeypatch) -> None:
    runner = EngineRunner()
    runner.load(make_tiny_folder(tmp_path / "tiny"))
    clock = Clock(monkeypatch)
    answer(runner, "hello", 100)
    # The reply's place is noted once, at its end.
    assert clock.calls == 1
    assert runner.of(MemoryMeasured) == []


@pytest.mark.starter
@pytest.mark.alone
def test_overlay_takes_under_one_percent_of_decoding(starter_path, monkeypatch, capsys) -> None:
    runner = EngineRunner()
    runner.load(starter_path)
    runner.mailbox.watch("chat")
    answer(runner, PROSE * 50, 2)
    clock = Clock(monkeypatch)
    runner.mailbox.watch("chat")
    decoding = answer(runner, PROSE * 50, 100)
    told = runner.of(MemoryMeasured)
    assert len(told) >= 3
    # The last one, and noting the reply's place, come after the decoding.
    share = clock.spent * (len(told) - 1) / len(told) / decoding
    with capsys.disabled():
        print(f"\noverlay: {len(told)} updates took {share:.2%} of {decoding:.1f} s of decoding")
    assert share < 0.01
