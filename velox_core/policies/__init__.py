"""Eviction policies, one a file. To add one, write its file and its line in ``POLICIES``."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velox_core.policies.base import EvictionPolicy

POLICIES: dict[str, str] = {
    "tova": "velox_core.policies.tova:TOVA",
    "streaming_llm": "velox_core.policies.streaming_llm:StreamingLLM",
}
"""``KVCacheConfig.method`` → where the policy's class lives; imported when first used."""


def load_policy(method: str, signal: str) -> "EvictionPolicy":
    """The policy called ``method``, scoring by ``signal`` if it can."""
    module, name = POLICIES[method].split(":")
    policy: EvictionPolicy = getattr(importlib.import_module(module), name)(signal)
    return policy
