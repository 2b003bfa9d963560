"""Building bounded caches: one alone, or one for each layer of a model that can take it."""

import logging
from typing import Any

from mlx_lm.models.cache import KVCache

from velox_core.attention import install_hook
from velox_core.cache import EvictingKVCache, TOVAKVCache
from velox_core.caches import BoundedCaches
from velox_core.config import KVCacheConfig
from velox_core.policies import load_policy
from velox_core.probe import Finding, probe
from velox_core.ropes import find_endless
from velox_core.steps import NO_QUERIES

log = logging.getLogger(__name__)

NOTHING_TO_BOUND = (
    "This model has no layer whose memory can be bounded; it keeps its own kind of memory."
)


class KVCacheFactory:
    """Makes single caches."""

    @staticmethod
    def create(config: KVCacheConfig, *, hooked: bool = False) -> EvictingKVCache:
        """A cache for one layer, by ``config.method``.

        Args:
            config: What it holds and by which rule.
            hooked: Whether attention will show it its queries. A cache made alone has none, so it
                goes by keys.
        """
        kind = TOVAKVCache if config.method == "tova" else EvictingKVCache
        return kind(config, hooked=hooked)


class KVCacheBuilder:
    """Makes the caches of a model."""

    @staticmethod
    def for_model(model: Any, config: KVCacheConfig) -> BoundedCaches:
        """Caches for ``model``: its own list, with every plain ``KVCache`` slot bounded.

        Sliding-window, recurrent and MLA layers keep their native cache. Which slot fits is found
        by a probe (a few tokens through the model, not computed). Installs the hook that shows
        caches their queries, if the signal needs it. Call it on the thread that runs the model.

        Args:
            model: A model of mlx-lm.
            config: Budget, sinks, policy and signal; the same for all bounded layers.

        Returns:
            A list for ``prompt_cache`` or ``model.make_cache``; it says which slots are bounded,
            why others are not, and what a person should know.
        """
        caches = native_caches(model)
        unbounded = {
            slot: f"{type(cache).__name__} is no plain KV cache"
            for slot, cache in enumerate(caches)
            if type(cache) is not KVCache
        }
        candidates = [slot for slot in range(len(caches)) if slot not in unbounded]
        if load_policy(config.method, config.tova_signal).signal == "query":
            install_hook(model)
        findings = _settled_findings(model, candidates, unbounded)
        for slot, finding in findings.items():
            caches[slot] = KVCacheFactory.create(config, hooked=finding.saw_query)
            caches[slot].keeps_attended = finding.asked_again
        notices = [] if findings else [NOTHING_TO_BOUND]
        if any(caches[slot].signal == "key" != config.tova_signal for slot in findings):
            notices.append(NO_QUERIES)
        if config.endless and findings:
            notices += _make_endless(model, {slot: caches[slot] for slot in findings})
        return BoundedCaches(caches, unbounded, notices)


def _make_endless(model: Any, caches: dict[int, EvictingKVCache]) -> list[str]:
    """Let these caches re-rotate their keys; or say why they cannot."""
    endless = find_endless(model, lambda: native_caches(model), tuple(caches))
    for slot, rotation in endless.rotations.items():
        caches[slot].rotation, caches[slot].spans.window = rotation, endless.window
    return [endless.notice] if endless.notice else []


def native_caches(model: Any) -> list[Any]:
    """The model's own caches, even where somebody put other ones in ``model.make_cache``."""
    make = getattr(type(model), "make_cache", None)
    return list(make(model)) if make else [KVCache() for _ in model.layers]


def _settled_findings(
    model: Any, candidates: list[int], unbounded: dict[int, str]
) -> dict[int, Finding]:
    """Probe until every slot that is left can be bounded; says in ``unbounded`` why others not."""
    while candidates:
        try:
            findings = probe(model, native_caches(model), candidates)
        except Exception:
            log.exception("the model does not run with bounded caches")
            unbounded.update(dict.fromkeys(candidates, "the model does not run with it bounded"))
            return {}
        refused = {slot: found.refusal for slot, found in findings.items() if found.refusal}
        if not refused:
            return findings
        unbounded.update(refused)
        candidates = [slot for slot in candidates if slot not in refused]
    return {}
