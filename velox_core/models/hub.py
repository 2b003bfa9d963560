"""The hub of models: which files a repository has, and their bytes from any position on.

huggingface_hub 2 starts every file over after a restart, so only its listing, addresses, headers
and errors are used; bytes are read here, from where the last download stopped.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
from huggingface_hub import HfApi, get_session, hf_hub_url
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, validate_repo_id

from velox_core.errors import ModelError

_TIMEOUT_S = 15.0
# The hub does not tell these two apart.
_UNKNOWN = (
    "There is no repository {}, or it is private: check the name, or enter an access token that "
    "may read it."
)
# Data only: no pickles, no code. Nothing in subfolders: mlx-lm reads none.
_WANTED = re.compile(
    r"model[\w.-]*\.safetensors|[\w-][\w.-]*\.(json|jinja|tiktoken)|tokenizer\.model"
    r"|(merges|vocab)\.txt|(LICENSE|NOTICE|LICENCE)[\w.-]*",
)


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file: its name, its bytes, and their hash as "sha256:…" or git's "blob:…"."""

    name: str
    nbytes: int
    digest: str

    def __post_init__(self) -> None:
        if not is_wanted(self.name) or self.nbytes < 0:
            raise ValueError(f"no file of a model: {self.name!r}")


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a repository at one revision that a model needs."""

    repository: str
    revision: str
    files: tuple[HubFile, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(file.nbytes for file in self.files)


def is_wanted(name: str) -> bool:
    """Whether a file belongs to a model and is safe to keep."""
    return _WANTED.fullmatch(name) is not None and not name.startswith("velox-")


def repository_name(text: str) -> str:
    """The "owner/name" that a person typed or pasted, as a page's address too.

    Raises:
        ModelError: If it is no repository's name.
    """
    name = re.sub(r"^https?://[^/]+/", "", text.strip()).strip("/")
    name = "/".join(name.split("/")[:2])
    try:
        validate_repo_id(name)
    except HFValidationError:
        name = ""
    if "/" not in name:
        raise ModelError(
            "That is no repository's name; it looks like mlx-community/Llama-3.2-3B-Instruct-4bit."
        )
    return name


def list_files(repository: str, token: str | None = None, endpoint: str | None = None) -> Listing:
    """Ask the hub for a repository's files.

    Raises:
        ModelError: With one plain sentence.
    """
    api = HfApi(endpoint=endpoint, token=token or False, library_name="velox")
    with plain_errors(repository):
        info = api.model_info(repository, files_metadata=True, timeout=_TIMEOUT_S)
    files = []
    for sibling in info.siblings or ():
        if is_wanted(sibling.rfilename):
            digest = f"sha256:{sibling.lfs.sha256}" if sibling.lfs else f"blob:{sibling.blob_id}"
            files.append(HubFile(sibling.rfilename, int(sibling.size or 0), digest))
    if not any(file.name.endswith(".safetensors") for file in files):
        raise ModelError(
            f"{repository} holds no model that Velox can use; look for its version for MLX."
        )
    # Small files first: they tell whether the large ones are of any use.
    files.sort(key=lambda file: (file.name.endswith(".safetensors"), file.name))
    return Listing(repository, str(info.sha), tuple(files))


@contextmanager
def open_file(
    listing: Listing,
    file: HubFile,
    start: int,
    token: str | None = None,
    endpoint: str | None = None,
) -> Iterator[tuple[int, Iterator[bytes]]]:
    """Read a file from byte ``start`` on.

    Yields:
        Where the bytes really start (a server may send the whole file), and the bytes.

    Raises:
        httpx2.TransportError: If the connection breaks.
        HfHubHTTPError: If the hub refuses.
    """
    url = hf_hub_url(listing.repository, file.name, revision=listing.revision, endpoint=endpoint)
    headers = build_hf_headers(token=token or False, library_name="velox")
    # Compressed bytes could not be counted or continued.
    headers |= {"accept-encoding": "identity"}
    if start:
        headers["range"] = f"bytes={start}-"
    with get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT_S) as response:
        hf_raise_for_status(response)
        partial = response.status_code == 206
        sent = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
        if partial and (sent is None or int(sent[1]) != start):
            raise httpx2.RemoteProtocolError("the server sent another range")
        yield (start if partial else 0), response.iter_bytes()


@contextmanager
def plain_errors(repository: str) -> Iterator[None]:
    """Turn what the hub or the network says into one plain sentence.

    Raises:
        ModelError: In place of any of their errors.
    """
    try:
        yield
    except (HfHubHTTPError, OfflineModeIsEnabled, httpx2.HTTPError, ValueError) as error:
        raise ModelError(explain_hub(error, repository)) from error


def explain_hub(error: Exception, repository: str) -> str:
    """One plain sentence for an error of the hub or the network."""
    if isinstance(error, GatedRepoError):
        return (
            f"{repository} has terms to be accepted first: do so on its page, then enter your "
            "access token and try again."
        )
    if isinstance(error, RepositoryNotFoundError):
        return _UNKNOWN.format(repository)
    if isinstance(error, OfflineModeIsEnabled):
        return "Downloads are switched off by HF_HUB_OFFLINE; unset it and start Velox again."
    if isinstance(error, HfHubHTTPError):
        return _explain_status(error.response, repository)
    if isinstance(error, httpx2.TimeoutException):
        return "The hub does not answer; check the network connection and try again."
    if isinstance(error, httpx2.TransportError):
        if "CERTIFICATE" in str(error).upper():
            return "The hub cannot be reached safely: its certificate is not trusted here."
        return "The hub cannot be reached; check the network connection and try again."
    return "The hub sent an answer that Velox does not understand; try again later."


def _explain_status(response: httpx2.Response, repository: str) -> str:
    status = response.status_code
    if status == 401 and "authorization" not in response.request.headers:
        return _UNKNOWN.format(repository)
    if status == 401:
        return "The hub refused the access token; enter a valid one and try again."
    if status == 403:
        return f"Your access token may not read {repository}; ask for access on its page."
    if status == 404:
        return f"A file of {repository} is not there any more; start the download again."
    if status == 429:
        return "The hub wants fewer requests; wait a few minutes and try again."
    return f"The hub has trouble (error {status}); try again later."
