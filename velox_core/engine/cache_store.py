"""Chats' caches on disk, so that a chat that is opened again goes on without being read again.

A saved cache is a convenience: one that is stale, cut or of another model is ignored, and one that
cannot be written is only logged.
"""

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velox_core import paths
from velox_core.errors import VeloxError

if TYPE_CHECKING:
    from velox_core.saving import SavedCaches

logger = logging.getLogger(__name__)

_SUFFIX = ".safetensors"


def saved_caches_dir() -> Path:
    """The folder of saved caches."""
    return paths.cache_dir() / "chats"


class CacheStore:
    """Saved caches of chats in one folder, the newest within a size limit."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use ``folder``, by default the one in the cache folder; it is made when needed."""
        self._folder = folder or saved_caches_dir()

    def save(
        self,
        chat_id: str,
        model: Any,
        caches: Sequence[Any],
        ids: Sequence[int],
        limit_nbytes: int,
    ) -> None:
        """Write a chat's caches; older chats go until all fit in ``limit_nbytes``."""
        from velox_core.saving import save_caches

        if sum(cache.nbytes for cache in caches) > limit_nbytes:
            self.forget(chat_id)
            return
        try:
            save_caches(self._path(chat_id), model, caches, ids)
        except (VeloxError, OSError) as error:
            logger.warning("the caches of a chat were not saved: %s", error)
        self.prune(limit_nbytes)

    def load(self, chat_id: str, model: Any) -> "SavedCaches | None":
        """A chat's saved caches if there are any for this model; bad files are removed.

        They are the newest from now on.
        """
        from velox_core.saving import load_caches

        path = self._path(chat_id)
        if not path.is_file():
            return None
        try:
            saved = load_caches(path, model)
            path.touch()
            return saved
        except Exception as error:
            # A file that anybody may have edited: whatever is wrong with it, the chat goes on.
            logger.info("saved caches are of no use: %s", error)
            self.forget(chat_id)
            return None

    def forget(self, chat_id: str) -> None:
        """Remove a chat's saved caches, because it was deleted, say."""
        _remove(self._path(chat_id))

    def prune(self, limit_nbytes: int) -> None:
        """Remove the oldest files beyond the limit, and what a crash left half written."""
        try:
            files = [(path.stat(), path) for path in self._folder.iterdir() if path.is_file()]
        except OSError:
            return
        kept = 0
        for facts, path in sorted(files, key=lambda item: item[0].st_mtime, reverse=True):
            kept += facts.st_size if path.suffix == _SUFFIX else 0
            if path.suffix != _SUFFIX or kept > limit_nbytes:
                _remove(path)

    def _path(self, chat_id: str) -> Path:
        # Ids come from files that anybody may have written, so they never become a path.
        return self._folder / (hashlib.sha256(chat_id.encode()).hexdigest()[:40] + _SUFFIX)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        logger.warning("cannot remove %s: %s", path.name, error)
