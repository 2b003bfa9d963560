"""A long chat that is opened again answers in under a tenth of the time that reading it takes."""

import time

import pytest

from tests.core.engine_runner import EngineRunner, said
from velox_core.engine.events import (
    CacheSettings,
    LoadRequest,
    ReplyRequest,
    SamplingParams,
    Turn,
    UnloadRequest,
)
from velox_core.engine.task_events import ResumeRequest

PROSE = "The harbour lies to the north of the town. Ships come in the morning and leave at night. "
BUDGET = CacheSettings(512, 4)
SHORT = SamplingParams(temperature=0, max_tokens=4)


def start(folder) -> EngineRunner:
    runner = EngineRunner()
    runner.run(LoadRequest("load", str(folder), resume_limit_nbytes=1 << 30))
    return runner


@pytest.mark.starter
@pytest.mark.alone
def test_reopened_chat_of_4000_tokens_begins_in_a_tenth_of_rereading(starter_path, capsys) -> None:
    runner = start(starter_path)
    turns = (Turn("user", PROSE * 200),)
    read = runner.run(ReplyRequest("read", "chat", turns, SHORT, BUDGET)).stats
    assert read.prompt_tokens > 4000
    answer = said(runner.run(ReplyRequest("reply", "chat", turns, SHORT, BUDGET)))
    runner.run(UnloadRequest("unload"))

    runner = start(starter_path)
    began = time.monotonic()
    resumed = runner.run(ResumeRequest("resume", "chat", (*turns, answer), BUDGET))
    opening_s = time.monotonic() - began
    turns = (*turns, answer, Turn("user", "And then?"))
    reply = runner.run(ReplyRequest("reply", "chat", turns, SHORT, BUDGET)).stats
    assert resumed.stats.tokens_seen == reply.reused_tokens > 4000
    took_s = opening_s + reply.ttft_s
    with capsys.disabled():
        print(
            f"\nresume of {reply.reused_tokens:,} tokens: {took_s:.2f} s to the first token, "
            f"{took_s / read.ttft_s:.1%} of reading them ({read.ttft_s:.1f} s)"
        )
    assert took_s < read.ttft_s / 10
