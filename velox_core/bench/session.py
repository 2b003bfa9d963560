"""The model that the benchmarks run on."""

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from velox_core.engine.model_loader import load_folder
from velox_core.errors import VeloxError
from velox_core.models.starter import find_starter


@dataclass(frozen=True)
class Session:
    """A loaded model with its tokenizer and the seed of everything random."""

    model: Any
    tokenizer: Any
    name: str


def open_session(folder: Path | None = None) -> Session:
    """Load the model in ``folder``, by default the starter model.

    Raises:
        VeloxError: There is no such model.
    """
    folder = folder or find_starter()
    if folder is None:
        raise VeloxError(
            "The starter model is not here yet: run python -m velox_core.models.starter first."
        )
    loaded = load_folder(str(folder), lambda *_: None, threading.Event())
    return Session(loaded.model, loaded.tokenizer, loaded.info.name)
