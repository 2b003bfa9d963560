"""KVCacheConfig: every bad value is refused when it is built, by name."""

import pytest

from velox_core import ConfigError, KVCacheConfig, VeloxError


def test_defaults_are_true_tova():
    config = KVCacheConfig()
    assert (config.method, config.tova_budget, config.tova_n_sink) == ("tova", 512, 4)
    assert config.tova_signal == "query"


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("tova_budget", 0, "at least 1"),
        ("tova_budget", -5, "at least 1"),
        ("tova_budget", 8.0, "whole number"),
        ("tova_budget", True, "whole number"),
        ("tova_n_sink", 512, "0 to 511"),
        ("tova_n_sink", 600, "0 to 511"),
        ("tova_n_sink", -1, "0 to 511"),
        ("method", "h2o", "'tova', 'streaming_llm'"),
        ("tova_signal", "keys", "'query', 'key'"),
        ("head_dim", 0, "at least 1"),
    ],
)
def test_bad_value_is_refused_naming_field_and_range(field, value, allowed):
    with pytest.raises(ConfigError) as caught:
        KVCacheConfig(**{field: value})
    assert field in str(caught.value)
    assert allowed in str(caught.value)


def test_errors_are_velox_and_value_errors():
    with pytest.raises(ValueError, match="tova_budget"):
        KVCacheConfig(tova_budget=0)
    assert issubclass(ConfigError, VeloxError)


def test_no_sinks_and_budget_one_are_fine():
    assert KVCacheConfig(tova_budget=1, tova_n_sink=0).tova_n_sink == 0


def test_config_is_frozen():
    with pytest.raises(AttributeError):
        KVCacheConfig().tova_budget = 3
