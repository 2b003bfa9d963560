"""Downloads from a real HTTP server that speaks the hub's protocol: arriving and going on."""

import threading

import pytest

from tests.core.downloads import NAME, WEIGHTS, asked, get, stop_at
from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models.download import discard_download, unfinished_downloads
from velox_core.models.progress import StoppedError


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
