"""What a Mach-O file says: its machine, the macOS it needs, the libraries it loads."""

from dataclasses import dataclass
from pathlib import Path

from macholib.mach_o import (
    LC_BUILD_VERSION,
    LC_CODE_SIGNATURE,
    LC_LOAD_DYLIB,
    LC_REEXPORT_DYLIB,
    LC_RPATH,
    LC_VERSION_MIN_MACOSX,
    MH_EXECUTE,
)
from macholib.MachO import MachO as Parser

_MAGICS = {
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xfe\xed\xfa\xcf",
    b"\xfe\xed\xfa\xce",
    b"\xca\xfe\xba\xbe",
    b"\xca\xfe\xba\xbf",
}
_CPUS = {0x0100000C: "arm64", 0x01000007: "x86_64"}
_LOADS = {LC_LOAD_DYLIB, LC_REEXPORT_DYLIB}


@dataclass(frozen=True)
class MachO:
    """One Mach-O file.

    Attributes:
        path: The file.
        architectures: CPU names, one per slice.
        minos: The oldest macOS that may load it, as (major, minor), or None when it does not say.
        libraries: What it loads, as written in it; weak ones are left out, they may be missing.
        rpaths: Where it looks for ``@rpath`` libraries.
        is_program: Whether it is a program and not a library.
        signature: Offset and length of the code signature, or None when it is unsigned.
    """

    path: Path
    architectures: tuple[str, ...]
    minos: tuple[int, int] | None
    libraries: tuple[str, ...]
    rpaths: tuple[str, ...]
    is_program: bool
    signature: tuple[int, int] | None


def is_macho(path: Path) -> bool:
    """Whether the file's first bytes are those of a Mach-O file."""
    with path.open("rb") as file:
        head = file.read(8)
    # Java classes share the magic of universal files; their second word is a large version number.
    if head[:3] == b"\xca\xfe\xba":
        return int.from_bytes(head[4:8], "big") < 20
    return head[:4] in _MAGICS


def read_macho(path: Path) -> MachO:
    """Read the header of the Mach-O file at ``path`` (of its last slice, if it has several)."""
    headers = Parser(str(path)).headers
    minos: tuple[int, int] | None = None
    signature: tuple[int, int] | None = None
    libraries: list[str] = []
    rpaths: list[str] = []
    for load, command, data in headers[-1].commands:
        if load.cmd in _LOADS:
            libraries.append(_text(data))
        elif load.cmd == LC_RPATH:
            rpaths.append(_text(data))
        elif load.cmd == LC_BUILD_VERSION:
            minos = _version(command.minos)
        elif load.cmd == LC_VERSION_MIN_MACOSX:
            minos = _version(command.version)
        elif load.cmd == LC_CODE_SIGNATURE:
            signature = (command.dataoff, command.datasize)
    return MachO(
        path=path,
        architectures=tuple(_architecture(header) for header in headers),
        minos=minos,
        libraries=tuple(libraries),
        rpaths=tuple(rpaths),
        is_program=headers[-1].header.filetype == MH_EXECUTE,
        signature=signature,
    )


def _text(data: bytes) -> str:
    return data.rstrip(b"\x00").decode("utf-8", "replace")


def _version(packed: int) -> tuple[int, int]:
    return int(packed) >> 16, (int(packed) >> 8) & 0xFF


def _architecture(header: object) -> str:
    cpu = header.header.cputype  # type: ignore[attr-defined]
    return _CPUS.get(cpu, f"processor {cpu}")
