"""Downloads from a real HTTP server that speaks the hub's protocol."""

import json
import logging
import threading

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.core.model_folders import write_model
from tests.hub_server import running_hub
from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models import disk, download
from velox_core.models.download import discard_download, download_model, unfinished_downloads
from velox_core.models.progress import StoppedError

NAME = "mlx-community/Tiny-4bit"
WEIGHTS = "model.safetensors"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A hub with one model of 4 MB, and some files that nobody should fetch."""
    monkeypatch.setattr(download, "_RETRY_WAIT_S", 0.01)
    monkeypatch.setattr(download, "_TELL_EVERY_S", 0.0)
    folder = write_model(tmp_path / "hub" / "tiny")
    weights = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    save_file({"model.embed_tokens.weight": weights}, folder / WEIGHTS)
    for name in ("modeling.py", "pytorch_model.bin", "README.md", ".gitattributes"):
        (folder / name).write_text("import os")
    (folder / "LICENSE").write_text("free")
    with running_hub() as server:
        server.repositories[NAME] = folder
        yield server


def get(hub, repository=NAME, progress=lambda _step: None, cancel=None, token=None):
    cancel = cancel or threading.Event()
    return download_model(repository, progress, cancel, token, hub.endpoint)


def asked(hub, name=WEIGHTS):
    return [range_ for path, range_, _ in hub.requests if path.startswith("/cdn") and name in path]


def stop_at(nbytes):
    """A progress callback and the event that it sets once ``nbytes`` have arrived."""
    cancel = threading.Event()

    def watch(step):
        if step.done_nbytes >= nbytes:
            cancel.set()

    return {"progress": watch, "cancel": cancel}


def test_model_arrives_whole_and_without_code(hub):
    steps = []
    folder = get(hub, progress=steps.append)
    assert folder == paths.models_dir() / NAME
    names = {"LICENSE", "config.json", "tokenizer.json", "tokenizer_config.json", WEIGHTS}
    assert {path.name for path in folder.iterdir()} == names
    for name in names:
        assert (folder / name).read_bytes() == (hub.repositories[NAME] / name).read_bytes()
    done = [step.done_nbytes for step in steps]
    assert done == sorted(done)
    assert (steps[-1].stage, steps[-1].fraction) == ("Ready", 1.0)
    assert steps[-1].total_nbytes == sum(path.stat().st_size for path in folder.iterdir())
    assert unfinished_downloads() == []


def test_second_download_asks_nothing(hub):
    get(hub)
    hub.requests.clear()
    get(hub)
    assert hub.requests == []


def test_address_of_a_page_is_understood(hub):
    assert get(hub, f"https://hub.example/{NAME}/tree/main").name == "Tiny-4bit"


@pytest.mark.parametrize("text", ["", "tiny", "a/../../b", "a/b c", "/etc/passwd;", "../.."])
def test_odd_names_are_refused_before_any_request(hub, text):
    with pytest.raises(ModelError, match="no repository's name"):
        get(hub, text)
    assert hub.requests == []


def test_paused_download_goes_on_after_a_restart(hub):
    with pytest.raises(StoppedError, match=r"The download of .* was stopped"):
        get(hub, **stop_at(1_000_000))
    [waiting] = unfinished_downloads()
    assert waiting.repository == NAME
    assert 1_000_000 <= waiting.done_nbytes < waiting.total_nbytes
    hub.requests.clear()
    steps = []
    folder = get(hub, progress=steps.append)
    [range_] = asked(hub)
    assert int(range_.removeprefix("bytes=").removesuffix("-")) >= 990_000
    assert steps[0].done_nbytes >= waiting.done_nbytes
    assert (folder / WEIGHTS).read_bytes() == (hub.repositories[NAME] / WEIGHTS).read_bytes()


def test_discarded_download_leaves_nothing(hub):
    with pytest.raises(StoppedError):
        get(hub, **stop_at(1_000_000))
    discard_download(NAME)
    assert unfinished_downloads() == []
    assert list((paths.models_dir() / ".downloads").iterdir()) == []


def test_cancel_acts_while_the_hub_is_silent_in_between(hub):
    hub.hold.set()
    cancel = threading.Event()
    caught = []

    def work():
        try:
            get(hub, progress=lambda step: step.done_nbytes > 10**6 and cancel.set(), cancel=cancel)
        except StoppedError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert len(caught) == 1


def test_broken_connections_go_on_from_there(hub):
    hub.cut_after[WEIGHTS] = [1_000_000, 500_000, 0, 0]
    folder = get(hub)
    starts = [int((range_ or "bytes=0-")[6:-1]) for range_ in asked(hub)]
    assert starts == [0, 1_000_000, 1_500_000, 1_500_000, 1_500_000]
    assert (folder / WEIGHTS).read_bytes() == (hub.repositories[NAME] / WEIGHTS).read_bytes()


def test_connection_that_keeps_breaking_is_said(hub):
    hub.cut_after[WEIGHTS] = [1_000_000] + [0] * 50
    with pytest.raises(ModelError, match="cannot be reached; check the network"):
        get(hub)
    [waiting] = unfinished_downloads()
    assert waiting.done_nbytes >= 1_000_000


def test_server_that_ignores_ranges_gets_the_file_anew(hub):
    hub.ignores_ranges = True
    hub.cut_after[WEIGHTS] = [1_000_000]
    steps = []
    folder = get(hub, progress=steps.append)
    assert (folder / WEIGHTS).read_bytes() == (hub.repositories[NAME] / WEIGHTS).read_bytes()
    assert max(step.fraction for step in steps) == 1.0


@pytest.mark.parametrize("name", [WEIGHTS, "tokenizer_config.json"])
def test_changed_bytes_are_noticed_and_thrown_away(hub, name):
    content = bytearray((hub.repositories[NAME] / name).read_bytes())
    content[len(content) // 2] ^= 1
    hub.replaced[name] = bytes(content)
    with pytest.raises(ModelError, match=f"{name} arrived damaged and was thrown away"):
        get(hub)
    assert not (paths.models_dir() / NAME).exists()
    hub.replaced.clear()
    assert get(hub).is_dir()


def test_longer_file_than_announced_is_refused(hub):
    hub.replaced[WEIGHTS] = bytes(5_000_000)
    with pytest.raises(ModelError, match="longer than announced"):
        get(hub)


ERRORS = {
    "401": ((401, ""), "There is no repository .*, or it is private"),
    "gated": ((403, "GatedRepo"), "has terms to be accepted first"),
    "403": ((403, ""), "Your access token may not read"),
    "404": ((404, "RepoNotFound"), "There is no repository .*, or it is private"),
    "429": ((429, ""), "wants fewer requests; wait"),
    "503": ((503, ""), r"has trouble \(error 503\); try again later"),
}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("where", ["", f"/{WEIGHTS}"])
def test_refusals_are_plain_sentences(hub, kind, where):
    error, words = ERRORS[kind]
    hub.errors[NAME + where] = error
    with pytest.raises(ModelError, match=words) as caught:
        get(hub)
    assert "http" not in str(caught.value)
    hub.errors.clear()
    assert get(hub).is_dir()


def test_refused_token_is_said(hub):
    hub.errors[NAME] = (401, "")
    with pytest.raises(ModelError, match="refused the access token; enter a valid one"):
        get(hub, token="hf_wrong")


def test_vanished_revision_starts_anew(hub):
    hub.errors[f"{NAME}/{WEIGHTS}"] = (404, "EntryNotFound")
    with pytest.raises(ModelError, match="not there any more; start the download again"):
        get(hub)
    assert unfinished_downloads() == []


def test_no_network_is_said_at_once():
    with pytest.raises(ModelError, match="cannot be reached; check the network connection"):
        download_model(NAME, print, threading.Event(), endpoint="http://127.0.0.1:9")


def test_full_disk_is_said_and_the_download_kept(hub):
    with pytest.raises(StoppedError):
        get(hub, **stop_at(1_000_000))
    part = paths.models_dir() / ".downloads" / "mlx-community--Tiny-4bit" / f"{WEIGHTS}.part"
    part.unlink()
    part.symlink_to("/dev/full")
    with pytest.raises(ModelError, match="The disk is full"):
        get(hub)
    part.unlink()
    assert get(hub).is_dir()


def test_room_is_checked_before(hub, monkeypatch):
    usage = type("Usage", (), {"free": 100_000_000})
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _folder: usage)
    with pytest.raises(ModelError, match=r"4 MB are needed. Free 104 MB more"):
        get(hub)
    assert asked(hub) == []


def test_unusable_model_is_refused_before_its_weights(hub):
    config = hub.repositories[NAME] / "config.json"
    config.write_text(json.dumps({"model_type": "bert"}))
    with pytest.raises(ModelError, match="type 'bert' are not supported"):
        get(hub)
    assert asked(hub) == []
    assert unfinished_downloads() == []


def test_repository_without_usable_weights_is_refused(hub):
    (hub.repositories[NAME] / WEIGHTS).unlink()
    with pytest.raises(ModelError, match="holds no model that Velox can use"):
        get(hub)


def test_one_download_at_a_time(hub):
    hub.hold.set()
    stop = stop_at(2_000_000)

    def work():
        with pytest.raises(StoppedError):
            get(hub, **stop)

    thread = threading.Thread(target=work)
    thread.start()
    while not asked(hub):
        stop["cancel"].wait(0.01)
    with pytest.raises(ModelError, match="is being downloaded already"):
        get(hub)
    hub.hold.clear()
    stop["cancel"].set()
    thread.join()


def test_token_opens_private_repositories_and_is_never_logged(hub, caplog):
    caplog.set_level(logging.DEBUG)
    hub.private.add(NAME)
    with pytest.raises(ModelError, match="it is private"):
        get(hub)
    get(hub, token=hub.token)
    sent = {authorization for *_, authorization in hub.requests}
    assert sent == {None, f"Bearer {hub.token}"}
    assert hub.token not in caplog.text


def test_stored_tokens_of_other_programs_are_not_sent(hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    get(hub)
    assert {authorization for *_, authorization in hub.requests} == {None}
