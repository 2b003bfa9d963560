"""Models worth downloading, from small to large: the data is in ``resources/models.json``."""

import json
from dataclasses import dataclass
from functools import cache

from velox_core import paths
from velox_core.models.fit import Fit, estimate_fit
from velox_core.models.model_folder import ModelFacts
from velox_core.models.support import cache_support


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model on the hub.

    Attributes:
        repository: Its "owner/name" on the hub.
        title: Its name as people say it.
        note: What it is good for, in one short sentence.
        licence: The name of the licence that its weights are under.
        facts: What its files will say; sizes are close, not exact.
    """

    repository: str
    title: str
    note: str
    licence: str
    facts: ModelFacts

    def fit(self, budget: int = 2048) -> Fit:
        """Whether it would fit in this computer's memory."""
        return estimate_fit(self.facts, budget)


@cache
def suggestions() -> tuple[Suggestion, ...]:
    """All suggestions, the smallest model first."""
    path = paths.resources_dir() / "models.json"
    return tuple(_suggestion(entry) for entry in json.loads(path.read_text(encoding="utf-8")))


def _suggestion(entry: dict[str, str | int]) -> Suggestion:
    facts = ModelFacts(
        model_type=str(entry["model_type"]),
        weights_nbytes=int(entry["weights_nbytes"]),
        n_parameters=int(entry["n_parameters"]),
        quantization="4-bit",
        context_window=int(entry["context_window"]),
        bytes_per_token=int(entry["bytes_per_token"]),
        cache_support=cache_support({"model_type": entry["model_type"]}),
        has_chat_template=True,
    )
    return Suggestion(
        str(entry["repository"]),
        str(entry["title"]),
        str(entry["note"]),
        str(entry["licence"]),
        facts,
    )
