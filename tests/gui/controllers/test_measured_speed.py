"""Speeds for estimates: measured with this model, else what its stored replies say."""

import pytest

from app.controllers.measured_speed import MeasuredSpeed
from app.workers.engine_client import EngineClient
from tests.fake_engine import FAKE_INFO, fake_engine_factory
from velox_core.engine.events import CacheStats, ModelLoaded, ReplyFinished, ReplyStats


@pytest.fixture
def client(qtbot):
    client = EngineClient(fake_engine_factory())
    yield client
    client.shutdown()


def finished(n_tokens: int, ttft_s: float, tps: float) -> ReplyFinished:
    cache = CacheStats(10, 10, 64, 4, True, 1, 1, 1.0, 1)
    return ReplyFinished(
        "r", "text", (1,), ReplyStats(n_tokens, 0, n_tokens, 5, ttft_s, tps, "eos", cache)
    )


def stored(n_tokens: int, ttft_s: float, tps: float) -> dict[str, float]:
    return {"prefilled_tokens": n_tokens, "ttft_s": ttft_s, "decode_tps": tps}


def test_long_prompt_counts_and_a_short_one_only_for_want_of_better(client):
    speed = MeasuredSpeed(client)
    client.reply_finished.emit(finished(20, 1.0, 8.0))
    assert (speed.prefill_tps, speed.decode_tps) == (20.0, 8.0)
    client.reply_finished.emit(finished(200, 2.0, 9.0))
    client.reply_finished.emit(finished(20, 1.0, 10.0))
    assert (speed.prefill_tps, speed.decode_tps) == (100.0, 10.0)
    client.model_loaded.emit(ModelLoaded("l", FAKE_INFO))
    assert (speed.prefill_tps, speed.decode_tps) == (0.0, 0.0)


def test_stored_replies_help_until_something_is_measured(client):
    speed = MeasuredSpeed(client)
    speed.recall([stored(100, 1.0, 5.0), {}, {"ttft_s": "x"}, stored(300, 2.0, 6.0)])
    assert (speed.prefill_tps, speed.decode_tps) == (150.0, 6.0)
    client.reply_finished.emit(finished(200, 1.0, 9.0))
    speed.recall([stored(300, 2.0, 6.0)])
    assert (speed.prefill_tps, speed.decode_tps) == (200.0, 9.0)
