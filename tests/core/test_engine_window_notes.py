"""What is said when a conversation comes to the end of the model's trained window, and when."""

import pytest

from tests.core.engine_runner import FULL, EngineRunner, user
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.conversation import Conversation
from velox_core.engine.events import CacheMeasured, CacheSettings, NoticeGiven, SamplingParams

WINDOW = 128
SMALL = CacheSettings(budget=32, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=100)


@pytest.fixture
def runner(tmp_path):
    runner = EngineRunner()
    config = {"max_position_embeddings": WINDOW}
    runner.load(make_tiny_folder(tmp_path / "short", config=config))
    return runner


@pytest.fixture
def seen(runner):
    """Tokens seen when the notice came."""
    at = []

    def note(event) -> None:
        if isinstance(event, NoticeGiven):
            at.append(len(next(iter(runner.conversations)).ids))

    runner.conversations = []
    before = Conversation.__init__

    def keep(itself, *args) -> None:
        before(itself, *args)
        runner.conversations.insert(0, itself)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Conversation, "__init__", keep)
        runner.on_event = note
        yield at


def test_model_that_can_go_on_says_so_when_the_window_is_passed(runner, seen) -> None:
    runner.reply(user("hello " * 15), sampling=LONG, cache=SMALL)
    [notice] = runner.of(NoticeGiven)
    assert notice.message.endswith("so it can go on.")
    assert seen == [WINDOW + 1]


def test_model_that_cannot_says_so_before_the_text_falls_apart(runner, seen, monkeypatch) -> None:
    monkeypatch.setattr(Conversation, "is_endless", property(lambda _self: False))
    runner.reply(user("hello " * 15), sampling=LONG, cache=SMALL)
    [notice] = runner.of(NoticeGiven)
    assert "cannot go further" in notice.message
    assert seen == [WINDOW - WINDOW // 16 + 1]


def test_full_cache_ends_at_the_window_and_says_so(runner, seen) -> None:
    runner.reply(user("hello " * 15), sampling=LONG, cache=FULL)
    [notice] = runner.of(NoticeGiven)
    assert "window of 128 tokens is full" in notice.message
    assert runner.of(CacheMeasured)[-1].stats.tokens_seen <= WINDOW
