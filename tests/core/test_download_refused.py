"""Downloads from a real HTTP server that speaks the hub's protocol: refused, damaged, private."""

import json
import logging
import threading

import pytest

from tests.core.downloads import NAME, WEIGHTS, asked, get, stop_at
from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models import disk
from velox_core.models.download import download_model, unfinished_downloads
from velox_core.models.progress import StoppedError


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
    stop = stop_at(10**12)

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
