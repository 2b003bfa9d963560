"""Download a model from the hub: stopped at any time, continued later, checked before use.

Files arrive in a hidden folder beside the models, with a note of what is expected. Only a whole
and checked model is moved to where models are looked for.
"""

import hashlib
import json
import logging
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
from filelock import FileLock, Timeout
from huggingface_hub.errors import HfHubHTTPError

from velox_core import paths
from velox_core.errors import ModelError
from velox_core.models import hub
from velox_core.models.disk import explain, require_space
from velox_core.models.model_folder import check_config, check_model_folder, check_tokenizer
from velox_core.models.progress import DownloadProgress, raise_if_cancelled

logger = logging.getLogger(__name__)

_NOTE = "velox-download.json"
_PART = ".part"
_TRIES = 5
_RETRY_WAIT_S = 1.0
_TELL_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class UnfinishedDownload:
    """A download that was stopped and can go on."""

    repository: str
    done_nbytes: int
    total_nbytes: int


ProgressCallback = Callable[[DownloadProgress], None]


def download_model(
    repository: str,
    progress: ProgressCallback,
    cancel: threading.Event,
    token: str | None = None,
    endpoint: str | None = None,
) -> Path:
    """Download a model, or go on with a download that was stopped.

    Blocks, so run it on a thread of its own. What has arrived is kept when it ends early;
    :func:`discard_download` throws it away.

    Args:
        repository: "owner/name", or the address of its page.
        progress: Called at most ten times a second, on this thread.
        cancel: Stops the download when set; call again to go on.
        token: The access token, for private repositories.
        endpoint: Another hub than the usual one.

    Returns:
        The model's folder.

    Raises:
        ModelError: With one plain sentence, when it fails.
        StoppedError: If ``cancel`` was set.
    """
    name = hub.repository_name(repository)
    target = paths.models_dir() / name
    folder = _partial_folder(name)
    try:
        if _is_usable(target):
            return target
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock"), timeout=0):
            return _Transfer(name, folder, progress, cancel, token, endpoint).run(target)
    except Timeout as error:
        raise ModelError(f"{name} is being downloaded already.") from error
    except (httpx2.HTTPError, HfHubHTTPError) as error:
        logger.warning("downloading %s failed: %s", name, type(error).__name__)
        if isinstance(error, HfHubHTTPError) and error.response.status_code == 404:
            # That revision is gone: the next start asks for the present one.
            discard_download(name)
        raise ModelError(hub.explain_hub(error, name)) from error
    except OSError as error:
        logger.exception("downloading %s failed", name)
        raise ModelError(explain(error, paths.models_dir())) from error


def unfinished_downloads() -> list[UnfinishedDownload]:
    """The downloads that were stopped, in this run or an earlier one."""
    found = []
    for note in sorted(_downloads_dir().glob(f"*/{_NOTE}")):
        listing = _read_note(note.parent)
        if listing is not None:
            done = sum(_arrived(note.parent, file) for file in listing.files)
            found.append(UnfinishedDownload(listing.repository, done, listing.nbytes))
    return found


def discard_download(repository: str) -> None:
    """Throw away what has arrived of a download that is stopped."""
    folder = _partial_folder(hub.repository_name(repository))
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name(f".{folder.name}.lock").unlink(missing_ok=True)


class _Transfer:
    """One run of one download."""

    def __init__(
        self,
        repository: str,
        folder: Path,
        progress: ProgressCallback,
        cancel: threading.Event,
        token: str | None,
        endpoint: str | None,
    ) -> None:
        self._repository = repository
        self._folder = folder
        self._progress = progress
        self._cancel = cancel
        self._token = token
        self._endpoint = endpoint
        self._total = self._done = self._begun_at = 0
        self._begun = self._told = time.monotonic()

    def run(self, target: Path) -> Path:
        """Fetch what is missing, check it and move it to ``target``."""
        listing = _read_note(self._folder) or self._start()
        self._total = listing.nbytes
        self._done = self._begun_at = sum(_arrived(self._folder, file) for file in listing.files)
        require_space(self._folder, self._total - self._done)
        for file in listing.files:
            if file.name.endswith(".safetensors"):
                self._check_small_files()
            if not (self._folder / file.name).is_file():
                self._fetch(listing, file)
        self._tell("Checking", now=True)
        (self._folder / _NOTE).unlink()
        try:
            check_model_folder(self._folder)
        except ModelError:
            shutil.rmtree(self._folder)
            raise
        if target.exists():  # a broken one, downloaded again
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._folder.rename(target)
        self._tell("Ready", now=True)
        return target

    def _start(self) -> hub.Listing:
        """Ask the hub what to fetch, into an empty folder."""
        self._stop_if_cancelled()
        listing = hub.list_files(self._repository, self._token, self._endpoint)
        if self._folder.exists():
            shutil.rmtree(self._folder)
        self._folder.mkdir()
        _write_note(self._folder, listing)
        return listing

    def _check_small_files(self) -> None:
        """Refuse what cannot be used before gigabytes are fetched for it."""
        try:
            check_config(self._folder)
            check_tokenizer(self._folder)
        except ModelError:
            shutil.rmtree(self._folder)
            raise

    def _fetch(self, listing: hub.Listing, file: hub.HubFile) -> None:
        """Fetch one file, again from where it broke off; check its hash."""
        part = self._folder / f"{file.name}{_PART}"
        part.touch()
        failures = 0
        while (before := _size(part)) != file.nbytes:
            self._stop_if_cancelled()
            try:
                self._append(listing, file, part)
                error: Exception = httpx2.RemoteProtocolError("the file ended early")
            except (httpx2.TransportError, HfHubHTTPError) as caught:
                error = caught
            if _size(part) == file.nbytes:
                break
            failures = 1 if _size(part) > before else failures + 1
            if failures >= _TRIES or not _is_passing(error):
                raise error
            logger.info("%s broke off (%s); trying again", file.name, type(error).__name__)
            self._cancel.wait(_RETRY_WAIT_S * 2 ** (failures - 1))
        if self._digest(part, file) != file.digest:
            part.unlink()
            raise ModelError(f"{file.name} arrived damaged and was thrown away. Try again.")
        part.rename(self._folder / file.name)

    def _append(self, listing: hub.Listing, file: hub.HubFile, part: Path) -> None:
        start = _size(part) if _size(part) < file.nbytes else 0
        with hub.open_file(listing, file, start, self._token, self._endpoint) as (begin, blocks):
            self._done -= _size(part) - begin
            with part.open("ab" if begin else "wb") as sink:
                for block in blocks:
                    self._stop_if_cancelled()
                    if sink.tell() + len(block) > file.nbytes:
                        raise ModelError(f"{file.name} is longer than announced. Try again later.")
                    sink.write(block)
                    self._done += len(block)
                    self._tell("Downloading")

    def _digest(self, path: Path, file: hub.HubFile) -> str:
        """The file's hash in the manner of its ``digest``."""
        kind = file.digest.partition(":")[0]
        # git names a small file by a SHA-1 over its length and content.
        hasher = hashlib.sha256() if kind == "sha256" else hashlib.sha1(usedforsecurity=False)
        if kind != "sha256":
            hasher.update(f"blob {file.nbytes}\0".encode())
        with path.open("rb") as content:
            while block := content.read(1 << 22):
                self._stop_if_cancelled()
                self._tell("Checking")
                hasher.update(block)
        return f"{kind}:{hasher.hexdigest()}"

    def _stop_if_cancelled(self) -> None:
        raise_if_cancelled(self._cancel, f"The download of {self._repository}")

    def _tell(self, stage: str, *, now: bool = False) -> None:
        moment = time.monotonic()
        if now or moment - self._told >= _TELL_EVERY_S:
            self._told = moment
            speed = (self._done - self._begun_at) / max(moment - self._begun, 1e-3)
            fraction = self._done / self._total if self._total else 1.0
            self._progress(
                DownloadProgress(stage, fraction, self._done, self._total, max(speed, 0.0))
            )


def _is_usable(folder: Path) -> bool:
    try:
        check_model_folder(folder)
    except ModelError:
        return False
    return True


def _is_passing(error: Exception) -> bool:
    """Whether trying again soon may help."""
    if isinstance(error, HfHubHTTPError):
        return error.response.status_code in (408, 416, 429) or error.response.status_code >= 500
    return True


def _downloads_dir() -> Path:
    return paths.models_dir() / ".downloads"


def _partial_folder(repository: str) -> Path:
    return _downloads_dir() / repository.replace("/", "--")


def _arrived(folder: Path, file: hub.HubFile) -> int:
    return _size(folder / file.name) or _size(folder / f"{file.name}{_PART}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _write_note(folder: Path, listing: hub.Listing) -> None:
    (folder / _NOTE).write_text(json.dumps(asdict(listing), indent=2), encoding="utf-8")


def _read_note(folder: Path) -> hub.Listing | None:
    """What the download in ``folder`` expects, or None if it has to start anew."""
    try:
        note = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
        files = tuple(hub.HubFile(**file) for file in note["files"])
        return hub.Listing(hub.repository_name(note["repository"]), str(note["revision"]), files)
    except (OSError, ValueError, TypeError, KeyError, ModelError):
        return None
