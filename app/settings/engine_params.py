"""From settings to what the engine takes."""

from collections.abc import Mapping
from typing import Any

from velox_core.engine.events import CacheSettings, SamplingParams


def sampling_params(values: Mapping[str, Any]) -> SamplingParams:
    """The sampling of a reply, from ``SettingsStore.values_for_chat``."""
    return SamplingParams(
        temperature=values["sampling.temperature"],
        top_p=values["sampling.top_p"],
        top_k=values["sampling.top_k"],
        min_p=values["sampling.min_p"],
        repetition_penalty=values["sampling.repetition_penalty"],
        seed=values["sampling.seed"],
        max_tokens=values["sampling.max_tokens"],
        stop=tuple(text for text in values["sampling.stop"] if text),
    )


def cache_settings(values: Mapping[str, Any]) -> CacheSettings:
    """How the KV cache of a chat is bounded, from ``SettingsStore.values_for_chat``."""
    return CacheSettings(
        budget=values["memory.budget"],
        n_sink=values["memory.n_sink"],
        bounded=values["memory.bounded"],
    )
