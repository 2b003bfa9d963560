import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings.engine_params import cache_settings, sampling_params
from app.settings.setting import Setting, SettingError
from app.settings.table import BY_KEY, GROUPS, SETTINGS
from velox_core.engine.events import CacheSettings, SamplingParams


def test_every_setting_is_complete_and_takes_its_default() -> None:
    groups = {group.key for group in GROUPS}
    assert len(BY_KEY) == len(SETTINGS)
    for setting in SETTINGS:
        assert setting.check(setting.default) == setting.default
        if setting.hidden:
            continue
        assert setting.group in groups
        assert setting.label
        assert setting.help.endswith(".")
        if setting.kind in ("int", "float"):
            assert None not in (setting.minimum, setting.maximum, setting.step)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("memory.budget", 63, "Budget must be between 64 and 131,072"),
        ("memory.budget", 512.5, "must be a whole number"),
        ("memory.budget", True, "must be a number"),
        ("memory.budget", None, "must be a number"),
        ("sampling.temperature", float("nan"), "must be a number"),
        ("sampling.temperature", float("inf"), "must be a number"),
        ("sampling.temperature", "0.5", "must be a number"),
        ("sampling.seed", -1, "between 0 and"),
        ("appearance.scheme", "pink", "one of system, light, dark"),
        ("appearance.scheme", ["dark"], "one of system, light, dark"),
        ("memory.bounded", 1, "must be true or false"),
        ("sampling.stop", "text", "must be a list of texts"),
        ("sampling.stop", ["a", 1], "must be a text"),
        ("sampling.stop", ["a" * 201], "at most 200 characters"),
    ],
)
def test_value_that_is_not_allowed_is_refused_by_name(key, value, sentence) -> None:
    with pytest.raises(SettingError, match=sentence):
        BY_KEY[key].check(value)


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("memory.budget", 512.0, 512),
        ("sampling.temperature", 1, 1.0),
        ("sampling.seed", None, None),
        ("sampling.stop", ["a", "b"], ("a", "b")),
    ],
)
def test_allowed_value_is_stored_in_its_own_type(key, value, stored) -> None:
    checked = BY_KEY[key].check(value)
    assert (checked, type(checked)) == (stored, type(stored))


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text())
)


@given(st.sampled_from(SETTINGS), anything)
def test_any_value_is_taken_or_refused_with_a_sentence(setting: Setting, value) -> None:
    try:
        checked = setting.check(value)
    except SettingError as error:
        assert str(error).startswith(setting.name)
        assert str(error).endswith(".")
    else:
        assert setting.check(checked) == checked


def test_defaults_are_those_of_the_engine() -> None:
    values = {setting.key: setting.default for setting in SETTINGS}
    assert sampling_params(values) == SamplingParams()
    assert cache_settings(values) == CacheSettings()


def test_every_parameter_of_the_engine_can_be_set() -> None:
    values = {setting.key: setting.default for setting in SETTINGS}
    for field in dataclasses.fields(SamplingParams):
        changed = values | {f"sampling.{field.name}": ("x",) if field.name == "stop" else 1}
        assert getattr(sampling_params(changed), field.name) in (1, ("x",))
    changed = values | {"memory.budget": 64, "memory.n_sink": 0, "memory.bounded": False}
    assert cache_settings(changed) == CacheSettings(64, 0, False)


def test_every_sinks_value_is_below_every_budget() -> None:
    assert BY_KEY["memory.n_sink"].maximum < BY_KEY["memory.budget"].minimum
