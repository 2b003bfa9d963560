"""Chats whose caches were saved go on without being read again; bad files are ignored."""

import os

import pytest

from tests.core.engine_runner import FULL, EngineRunner, said, user
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.cache_store import CacheStore, saved_caches_dir
from velox_core.engine.events import (
    CacheSettings,
    LoadRequest,
    ModelLoaded,
    ReplyFinished,
    SamplingParams,
    UnloadRequest,
)
from velox_core.engine.task_events import ChatForgotten, ForgetChatRequest, ResumeRequest

SMALL = CacheSettings(budget=64, n_sink=4)
LONG = SamplingParams(temperature=0, max_tokens=40)
FIRST = user("hello " * 60)


@pytest.fixture
def folder(tmp_path):
    return make_tiny_folder(tmp_path / "tiny")


def start(folder, limit: int = 1 << 30) -> EngineRunner:
    """A new engine, as after a restart of the application."""
    runner = EngineRunner()
    loaded = runner.run(LoadRequest("load", str(folder), resume_limit_nbytes=limit))
    assert isinstance(loaded, ModelLoaded)
    return runner


def leave(runner: EngineRunner) -> None:
    runner.run(UnloadRequest("unload"))


@pytest.mark.parametrize("cache", [SMALL, FULL])
def test_reopened_chat_goes_on_without_reading(folder, cache) -> None:
    runner = start(folder)
    first = runner.reply(FIRST, sampling=LONG, cache=cache)
    warm = runner.reply(FIRST, said(first), user("and?"), sampling=LONG, cache=cache)
    leave(runner)
    runner = start(folder)
    turns = (FIRST, said(first), user("and?"), said(warm), user("more"))
    reopened = runner.reply(*turns, sampling=LONG, cache=cache)
    assert reopened.stats.reused_tokens == warm.stats.cache.tokens_seen


def test_reopened_chat_replies_as_if_never_left(folder) -> None:
    runner = start(folder)
    first = runner.reply(FIRST, sampling=LONG, cache=SMALL)
    turns = (FIRST, said(first), user("and?"))
    leave(runner)
    reopened = start(folder).reply(*turns, sampling=LONG, cache=SMALL)
    runner = start(folder, limit=0)
    runner.reply(FIRST, sampling=LONG, cache=SMALL)
    stayed = runner.reply(*turns, sampling=LONG, cache=SMALL)
    assert reopened.token_ids == stayed.token_ids


def test_left_chat_is_saved_when_another_one_goes_on(folder) -> None:
    runner = start(folder)
    runner.reply(FIRST, sampling=LONG, cache=SMALL, chat="a")
    assert list(saved_caches_dir().glob("*")) == []
    runner.reply(FIRST, sampling=LONG, cache=SMALL, chat="b")
    assert len(list(saved_caches_dir().glob("*.safetensors"))) == 1


def test_nothing_is_saved_unless_asked_for(folder) -> None:
    runner = start(folder, limit=0)
    runner.reply(FIRST, sampling=LONG, cache=SMALL)
    leave(runner)
    assert not saved_caches_dir().exists()


@pytest.mark.parametrize("damage", ["cut", "garbage", "foreign model", "other kind"])
def test_useless_file_is_ignored(folder, tmp_path, damage) -> None:
    runner = start(folder)
    first = runner.reply(FIRST, sampling=LONG, cache=SMALL)
    leave(runner)
    [saved] = saved_caches_dir().glob("*.safetensors")
    if damage == "cut":
        saved.write_bytes(saved.read_bytes()[:-1000])
    elif damage == "garbage":
        saved.write_bytes(b"x" * 5000)
    elif damage == "foreign model":
        folder = make_tiny_folder(tmp_path / "other", seed=5)
    cache = FULL if damage == "other kind" else SMALL
    event = start(folder).reply(FIRST, said(first), user("and?"), sampling=LONG, cache=cache)
    assert isinstance(event, ReplyFinished)
    assert event.stats.reused_tokens == 0


@pytest.mark.parametrize("is_loaded", [True, False])
def test_forgotten_chat_leaves_nothing_behind(folder, is_loaded) -> None:
    runner = start(folder)
    runner.reply(FIRST, sampling=LONG, cache=SMALL)
    leave(runner)
    assert len(list(saved_caches_dir().iterdir())) == 1
    if is_loaded:
        runner = start(folder)
    assert isinstance(runner.run(ForgetChatRequest("forget", "chat")), ChatForgotten)
    assert list(saved_caches_dir().iterdir()) == []


def test_oldest_files_go_beyond_the_limit(folder, tmp_path) -> None:
    runner = start(folder)
    runner.reply(FIRST, sampling=LONG, cache=SMALL)
    conversation = runner.engine._shelf.get("chat")
    model = runner.engine._loaded.model
    store = CacheStore(tmp_path / "saved")
    sizes = []
    for chat in ("a", "b", "c"):
        limit = int(sizes[0] * 2.5) if sizes else 1 << 20
        store.save(chat, model, conversation.caches, conversation.ids, limit)
        sizes.append(sum(path.stat().st_size for path in (tmp_path / "saved").iterdir()))
    assert store.load("a", model) is None
    assert store.load("c", model).token_ids == conversation.ids
    store.forget("c")
    assert store.load("c", model) is None


def test_chat_that_was_only_looked_at_is_not_written_again_but_is_the_newest(folder) -> None:
    runner = start(folder)
    first = runner.reply(FIRST, sampling=LONG, cache=SMALL)
    leave(runner)
    [saved] = saved_caches_dir().iterdir()
    before = saved.read_bytes()
    os.utime(saved, (1, 1))
    number = saved.stat().st_ino
    runner = start(folder)
    runner.run(ResumeRequest("resume", "chat", (FIRST, said(first)), SMALL))
    leave(runner)
    assert (saved.stat().st_ino, saved.read_bytes()) == (number, before)
    assert saved.stat().st_mtime > 1
