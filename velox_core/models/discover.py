"""Find the models that are on this computer already. Reads folders only: no network, no mlx."""

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models.fit import Fit, estimate_fit
from velox_core.models.model_folder import ModelFacts, check_model_folder
from velox_core.models.starter import STARTER_NAME, find_starter

logger = logging.getLogger(__name__)

Source = Literal["starter", "velox", "hub", "lm-studio", "folder"]
_ADDED_DEPTH = 3


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model on disk.

    Attributes:
        name: The repository's name where it is known, else the folder's.
        path: The absolute folder to load it from.
        source: Where it was found.
        nbytes: Bytes of its files on disk.
        facts: What its files say; None if it cannot be used.
        problem: Why it cannot be used, in one plain sentence; None if it can.
    """

    name: str
    path: str
    source: Source
    nbytes: int
    facts: ModelFacts | None
    problem: str | None

    def fit(self, budget: int = 2048) -> Fit | None:
        """Whether it fits in memory; None if it cannot be used at all."""
        return estimate_fit(self.facts, budget) if self.facts else None


def find_models(
    added_folders: Iterable[str | Path] = (), cancel: threading.Event | None = None
) -> list[FoundModel]:
    """Look through all known places; usable and broken models, the starter first.

    Args:
        added_folders: Folders a person named: models, or folders of models.
        cancel: Ends the search early when set; what was found until then is returned.
    """
    found: dict[Path, FoundModel] = {}
    for name, folder, source in _candidates(added_folders):
        if cancel is not None and cancel.is_set():
            break
        real = folder.resolve()
        if real not in found:
            found[real] = describe_folder(folder, name, source)
    return list(found.values())


def describe_folder(folder: Path, name: str, source: Source = "folder") -> FoundModel:
    """Look into one model folder; a broken one is described, too."""
    facts, problem = None, None
    try:
        facts = check_model_folder(folder)
    except ModelError as error:
        problem = str(error)
    except OSError as error:
        logger.warning("cannot look into %s: %s", folder, error)
        problem = f"The folder {folder.name} cannot be read; allow it or choose another model."
    return FoundModel(name, str(folder.absolute()), source, _folder_nbytes(folder), facts, problem)


def resolve_model(name: str, added_folders: Iterable[str | Path] = ()) -> Path:
    """The folder of the model that a person names by folder, repository or the end of its name.

    Raises:
        ModelError: If there is none or more than one; the sentence names what there is.
    """
    wanted = name.strip()
    folder = Path(wanted).expanduser()
    if wanted and folder.is_dir():
        return folder.absolute()
    models = find_models(added_folders)
    low = wanted.casefold()
    exact = [model for model in models if model.name.casefold() == low]
    matches = exact or [m for m in models if low and m.name.casefold().split("/")[-1] == low]
    if len({match.path for match in matches}) == 1:
        return Path(matches[0].path)
    usable = ", ".join(model.name for model in matches or models if not model.problem)
    if matches:
        raise ModelError(f"More than one model is called {wanted}; say which: {usable}.")
    raise ModelError(
        f"There is no model {wanted!r} on this computer; there is {usable}."
        if usable
        else "There is no model on this computer yet; set up the starter model first."
    )


def hub_cache_dir() -> Path:
    """The hub's cache, as the hub's own library places it."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(variable):
            return Path(value).expanduser()
    home = os.environ.get("HF_HOME")
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home or f"{cache}/huggingface").expanduser() / "hub"


def _candidates(added: Iterable[str | Path]) -> Iterator[tuple[str, Path, Source]]:
    starter = find_starter()
    if starter is not None:
        yield STARTER_NAME, starter, "starter"
    for name, folder in _models_below(paths.models_dir(), 2):
        yield name, folder, "velox"
    for name, folder in _hub_snapshots(hub_cache_dir()):
        yield name, folder, "hub"
    for root in _lm_studio_dirs():
        for name, folder in _models_below(root, 2):
            yield name, folder, "lm-studio"
    for item in added:
        root = Path(item).expanduser().absolute()
        if _is_model(root):
            yield root.name, root, "folder"
        else:
            for name, folder in _models_below(root, _ADDED_DEPTH):
                yield name, folder, "folder"


def _models_below(root: Path, depth: int) -> Iterator[tuple[str, Path]]:
    """Model folders up to ``depth`` levels below ``root``, named by their path from there."""
    pending = [(root, 0)]
    while pending:
        folder, level = pending.pop()
        for child in _subfolders(folder):
            if _is_model(child):
                yield child.relative_to(root).as_posix(), child
            elif level + 1 < depth:
                pending.append((child, level + 1))


def _hub_snapshots(root: Path) -> Iterator[tuple[str, Path]]:
    """The newest snapshot of each repository in a hub cache, by absolute path."""
    for repository in _subfolders(root):
        kind, _, name = repository.name.partition("--")
        if kind != "models" or not name:
            continue
        snapshots = _subfolders(repository / "snapshots")
        try:
            main = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            main = ""
        chosen = next((folder for folder in snapshots if folder.name == main), None)
        if chosen is None and snapshots:
            chosen = max(snapshots, key=lambda folder: folder.stat().st_mtime)
        if chosen is not None and _is_model(chosen):
            yield name.replace("--", "/"), chosen.absolute()


def _lm_studio_dirs() -> list[Path]:
    home = Path.home()
    bases = [home / ".lmstudio", home / ".cache" / "lm-studio"]
    try:
        pointer = (home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()
        bases.insert(0, Path(pointer))
    except (OSError, UnicodeDecodeError):
        pass
    return [base / "models" for base in bases]


def _is_model(folder: Path) -> bool:
    """Whether somebody meant this folder to be a model for mlx, whole or not."""
    try:
        return (folder / "config.json").is_file() or any(folder.glob("*.safetensors"))
    except OSError:
        return False


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(
            child for child in folder.iterdir() if child.is_dir() and child.name[0] != "."
        )
    except OSError:
        return []


def _folder_nbytes(folder: Path) -> int:
    total = 0
    for path in folder.glob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total
