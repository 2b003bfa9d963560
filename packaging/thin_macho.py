"""Cuts Mach-O files to shape without Apple's tools: one processor's slice, no signature."""

import struct
from pathlib import Path

from macholib.mach_o import LC_CODE_SIGNATURE, LC_SEGMENT_64, fat_arch
from macholib.MachO import MachO

_ARM64 = 0x0100000C
_UNIVERSAL = b"\xca\xfe\xba\xbe"
_HEADER_NBYTES = 32


def arm64_slice(data: bytes) -> bytes:
    """The Apple silicon part of a Mach-O file; a file for one processor comes back as it is.

    Raises:
        ValueError: If a universal file has no such part.
    """
    if data[:4] != _UNIVERSAL:
        return data
    for index in range(struct.unpack(">I", data[4:8])[0]):
        entry = fat_arch.from_str(data[8 + 20 * index : 28 + 20 * index])
        if entry.cputype == _ARM64:
            return data[entry.offset : entry.offset + entry.size]
    raise ValueError("the universal file has no part for Apple silicon")


def remove_signature(path: Path) -> None:
    """Remove the code signature, the last thing in the file at ``path``, if there is one.

    Raises:
        ValueError: If something follows the signature.
    """
    header = MachO(str(path)).headers[0]
    load, command, _ = header.commands[-1]
    if load.cmd != LC_CODE_SIGNATURE:
        return
    data = bytearray(path.read_bytes())
    start = command.dataoff
    if start + command.datasize != len(data):
        raise ValueError(f"{path.name}: the signature is not at the end of the file")
    offset = _HEADER_NBYTES
    for load, segment, _ in header.commands:
        if load.cmd == LC_SEGMENT_64 and segment.segname.startswith(b"__LINKEDIT"):
            struct.pack_into("<Q", data, offset + 48, start - segment.fileoff)
        offset += load.cmdsize
    # The last command goes: one less, and its bytes are blanked.
    last = offset - load.cmdsize
    data[last:offset] = bytes(load.cmdsize)
    count, nbytes = struct.unpack_from("<II", data, 16)
    struct.pack_into("<II", data, 16, count - 1, nbytes - load.cmdsize)
    path.write_bytes(data[:start])
