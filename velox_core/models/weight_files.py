"""Look into safetensors files without loading them: are they whole, and what do they hold?

Only the header is read: eight bytes with its length, then JSON that says where each tensor lies.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from velox_core.errors import ModelError

INDEX_NAME = "model.safetensors.index.json"
# What the format itself allows.
_MAX_HEADER_NBYTES = 100_000_000
_CUT = "{} is not complete; download the model again."
_BROKEN = "{} is damaged; download the model again."


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of a file: safetensors' name of its dtype, and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


def read_header(path: Path) -> dict[str, Tensor]:
    """Read what ``path`` holds, and check that the file is as long as it says.

    Raises:
        ModelError: With one plain sentence, when the file is no whole safetensors file.
    """
    try:
        nbytes = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(64)
            file.seek(8)
            length = int.from_bytes(start[:8], "little")
            fits = 2 <= length <= min(_MAX_HEADER_NBYTES, nbytes - 8)
            header = file.read(length) if fits else b""
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read; allow it or download it again.") from error
    if start.startswith(b"version https://git-lfs"):
        raise ModelError(
            f"{path.name} is only a pointer to the real file (git-lfs); download the model again."
        )
    if start.lstrip()[:1] == b"<":
        raise ModelError(f"{path.name} is a web page, not a model; download the model again.")
    if not fits or not header.startswith(b"{"):
        raise ModelError((_CUT if length > nbytes - 8 else _BROKEN).format(path.name))
    try:
        tensors, end = _parse(header)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ModelError(_BROKEN.format(path.name)) from error
    if nbytes != 8 + length + end:
        raise ModelError(_CUT.format(path.name))
    return tensors


def _parse(header: bytes) -> tuple[dict[str, Tensor], int]:
    """The tensors, and the number of bytes that their data takes."""
    tensors, end = {}, 0
    for name, entry in json.loads(header).items():
        if name == "__metadata__":
            continue
        tensors[name] = Tensor(str(entry["dtype"]), tuple(int(n) for n in entry["shape"]))
        end = max(end, int(entry["data_offsets"][1]))
    return tensors, end


def read_weights(folder: Path) -> dict[str, Tensor]:
    """Read what all weight files of a model hold, and check that none is missing or cut.

    Raises:
        ModelError: With one plain sentence that names the file.
    """
    indexed = _indexed_files(folder)
    for name in sorted(set(indexed.values())):
        if not (folder / name).is_file():
            raise ModelError(f"The file {name} is missing; download the model again.")
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise ModelError(_explain_no_weights(folder))
    tensors: dict[str, Tensor] = {}
    for path in files:
        tensors |= read_header(path)
    lost = next((name for name in indexed if name not in tensors), None)
    if lost is not None:
        raise ModelError(
            f"{indexed[lost]} does not hold what {INDEX_NAME} says; download the model again."
        )
    return tensors


def _indexed_files(folder: Path) -> dict[str, str]:
    """The index's tensors and the files they are in; empty without an index."""
    path = folder / INDEX_NAME
    if not path.is_file():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["weight_map"]
        files = {str(tensor): str(name) for tensor, name in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(_BROKEN.format(INDEX_NAME)) from error
    if any(Path(name).name != name for name in files.values()):
        raise ModelError(_BROKEN.format(INDEX_NAME))
    return files


def _explain_no_weights(folder: Path) -> str:
    for pattern, kind in (("*.gguf", "GGUF"), ("*.bin", "PyTorch"), ("*.pt*", "PyTorch")):
        if next(folder.glob(pattern), None) is not None:
            return (
                f"The weights are in {kind} format, which Velox cannot use; "
                "look for the model's version for MLX."
            )
    return "The weights are missing (no model*.safetensors); download the model again."


def count_parameters(tensors: dict[str, Tensor], group_sizes: dict[str, int]) -> int:
    """The number of weights, quantised ones counted as what they stand for.

    Args:
        tensors: All tensors of the model.
        group_sizes: Weights per scale by module; ``""`` is the rule for all others.
    """
    total = 0
    for name, tensor in tensors.items():
        module, _, kind = name.rpartition(".")
        if f"{module}.scales" not in tensors:
            total += tensor.size
        elif kind == "scales":
            total += tensor.size * group_sizes.get(module, group_sizes.get("", 64))
    return total
