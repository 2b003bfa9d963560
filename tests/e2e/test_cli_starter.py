"""``velox ask`` and ``velox --self-test`` with the real starter model."""

import pytest

from tests.e2e.velox import ask_json, velox

pytestmark = pytest.mark.starter

SEA = ("Tell me about the sea.", "And the sky?", "And the moon?")
GREEDY = ("--temp", "0", "--max-tokens")


@pytest.fixture(autouse=True)
def _starter(starter_path) -> None:
    """The model is there."""


def test_ask_knows_the_capital_of_france() -> None:
    done = velox("ask", "What is the capital of France? Answer in one sentence.", "--temp", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "The capital of France is Paris.\n"


def test_ask_json_stays_within_the_budget_and_reuses_the_cache() -> None:
    turns = ask_json("--budget", "64", "--sinks", "4", *GREEDY, "24", *SEA)
    assert len(turns) == 3
    before = 0
    for turn in turns:
        assert turn["tokens_kept"] <= 64
        assert turn["tokens_seen"] > before
        assert turn["tokens_seen"] == turn["prompt_tokens"] + turn["generated_tokens"]
        assert turn["prompt_tokens"] == turn["reused_tokens"] + turn["prefilled_tokens"]
        assert turn["reused_tokens"] == before
        ratio = turn["tokens_seen"] / turn["tokens_kept"]
        assert turn["compression_ratio"] == pytest.approx(ratio, abs=1e-3)
        rows = -(-turn["tokens_seen"] // 256) * 256  # mlx-lm's full cache grows in such steps
        assert turn["full_cache_bytes"] == rows * 46080  # 30 layers × 3 heads × 64
        before = turn["tokens_seen"]
    assert turns[-1]["compression_ratio"] > 1
    assert turns[-1]["cache_bytes"] < turns[-1]["full_cache_bytes"]


def test_full_cache_and_large_budget_reply_alike() -> None:
    full = ask_json("--full", *GREEDY, "8", *SEA[:2])
    bounded = ask_json("--budget", "1024", *GREEDY, "8", *SEA[:2])
    assert [turn["compression_ratio"] for turn in full] == [1.0, 1.0]
    assert [turn["reply"] for turn in full] == [turn["reply"] for turn in bounded]


def test_self_test_passes() -> None:
    done = velox("--self-test")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout.splitlines()[-1]
