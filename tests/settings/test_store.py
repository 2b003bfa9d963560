import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.settings.setting import SettingError
from app.settings.store import SettingsStore
from app.settings.table import BY_KEY, SETTINGS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


@pytest.fixture
def store(path: Path) -> SettingsStore:
    return SettingsStore(path)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_changed_values_are_kept_and_defaults_are_not_written(store, path) -> None:
    store.set("memory.budget", 512)
    store.set("sampling.stop", ["###"])
    store.set("appearance.scheme", "dark")
    store.set("appearance.scheme", "system")
    assert store.flush()
    assert json.loads(path.read_text()) == {"memory.budget": 512, "sampling.stop": ["###"]}
    again = SettingsStore(path)
    assert again.get("memory.budget") == 512
    assert again.get("sampling.stop") == ("###",)
    assert again.get("appearance.scheme") == "system"


def test_changes_reach_the_file_by_themselves(path, monkeypatch) -> None:
    monkeypatch.setattr("app.settings.store.SAVE_DELAY_S", 0.01)
    store = SettingsStore(path)
    store.set("memory.budget", 512)
    timer = store._timer
    if timer is not None:
        timer.join(5)
    assert json.loads(path.read_text()) == {"memory.budget": 512}


def test_bad_stored_value_is_logged_and_the_default_used(path, caplog) -> None:
    write(path, '{"memory.budget": "lots", "memory.n_sink": 9, "new.key": [1]}')
    store = SettingsStore(path)
    assert store.get("memory.budget") == BY_KEY["memory.budget"].default
    assert store.get("memory.n_sink") == 9
    assert "memory.budget is ignored, the default is used: Budget must be a number" in caplog.text
    store.set("memory.n_sink", 8)
    store.flush()
    assert json.loads(path.read_text()) == {"new.key": [1], "memory.n_sink": 8}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00\x01"])
def test_damaged_file_is_set_aside_and_defaults_used(path, text, caplog) -> None:
    write(path, text)
    store = SettingsStore(path)
    assert store.get("memory.budget") == 2048
    store.set("memory.budget", 64)
    assert store.flush()
    assert path.with_name("settings.damaged-1.json").read_text() == text
    assert SettingsStore(path).get("memory.budget") == 64


@pytest.mark.parametrize("text", ["[1, 2]", "null", '"x"', "7"])
def test_file_without_settings_gives_defaults(path, text) -> None:
    write(path, text)
    assert SettingsStore(path).get("memory.budget") == 2048


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.dictionaries(st.sampled_from(sorted(BY_KEY)), json_values, max_size=8))
def test_no_stored_value_stops_the_start(path, stored) -> None:
    write(path, json.dumps(stored))
    store = SettingsStore(path)
    for setting in SETTINGS:
        setting.check(store.get(setting.key))


def test_callbacks_hear_real_changes_until_they_leave(store) -> None:
    heard: list[tuple[str, object]] = []
    leave = store.on_change(lambda key, value: heard.append((key, value)))
    store.set("memory.budget", 2048)
    store.set("memory.budget", 128)
    with pytest.raises(SettingError):
        store.set("memory.budget", 1)
    with pytest.raises(KeyError):
        store.set("no.such", 1)
    leave()
    store.set("memory.budget", 256)
    assert heard == [("memory.budget", 128)]
    store.flush()


def test_reset_touches_only_what_the_window_shows_of_one_group(store) -> None:
    for key, value in (("memory.budget", 64), ("sampling.top_k", 5), ("models.path", "/m")):
        store.set(key, value)
    store.set("models.load_last", False)
    store.reset_group("memory")
    store.reset_group("models")
    keys = ("memory.budget", "sampling.top_k", "models.path", "models.load_last")
    assert [store.get(key) for key in keys] == [2048, 5, "/m", True]
    store.flush()


def test_chat_values_override_defaults_and_bad_ones_are_ignored(store, caplog) -> None:
    store.set("sampling.top_k", 40)
    values = store.values_for_chat(
        {"sampling.seed": 7, "sampling.top_p": "x", "appearance.scheme": "dark", "odd": 1}
    )
    assert (values["sampling.seed"], values["sampling.top_k"]) == (7, 40)
    assert values["sampling.top_p"] == 0.95
    assert "appearance.scheme" not in values
    assert "odd" not in values
    assert "sampling.top_p" in caplog.text
    store.flush()


def test_folder_that_cannot_be_written_is_said_and_nothing_is_lost(path, caplog) -> None:
    write(path.parent, "a file in the way") if not path.parent.exists() else None
    store = SettingsStore(path)
    store.set("memory.budget", 128)
    assert not store.flush()
    assert "cannot be saved" in store.write_error
    assert store.get("memory.budget") == 128
    path.parent.unlink()
    store.set("memory.budget", 256)
    assert store.flush()
    assert store.write_error == ""
    assert json.loads(path.read_text()) == {"memory.budget": 256}
