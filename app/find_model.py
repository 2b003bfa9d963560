"""From what a person calls a model to its folder."""

from pathlib import Path

from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models.starter import find_starter


def find_model_folder(name: str | None) -> Path:
    """The folder of the model ``name``: a path, or the name of a model on this computer.

    Args:
        name: None or empty for the starter model.

    Raises:
        ModelError: When there is no such model.
    """
    if not name or not name.strip():
        starter = find_starter()
        if starter is None:
            raise ModelError(
                "The starter model is not on this computer yet; run 'make run' once, or name a "
                "model with --model."
            )
        return starter
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder.absolute()
    own = paths.models_dir() / name
    if own.is_dir():
        return own
    raise ModelError(f"There is no model {name!r} here; 'velox models' lists those that are.")
