"""Reads and checks the code signature inside a Mach-O file, as Apple's loader does.

Only what is hashed is checked here, on any system; who signed is `codesign`'s and `spctl`'s part,
on a Mac. Layout after Apple's published `cs_blobs.h`; all numbers are big-endian.
"""

import hashlib
import plistlib
import struct
from dataclasses import dataclass
from typing import Any

from verify.macho import MachO

_SUPERBLOB = 0xFADE0CC0
_CODE_DIRECTORY = 0xFADE0C02
_ENTITLEMENTS = 0xFADE7171
_ENTITLEMENTS_SLOT = 5
_SHA256 = 2

INFO_PLIST_SLOT = 1
RESOURCES_SLOT = 3

FLAG_ADHOC = 0x2
FLAG_RUNTIME = 0x10000


class SignatureError(ValueError):
    """The signature cannot be read; the message says why."""


@dataclass(frozen=True)
class Signature:
    """What the signature of one Mach-O file states.

    Attributes:
        identifier: The name that was signed.
        flags: See ``FLAG_ADHOC`` and ``FLAG_RUNTIME``.
        cdhash: SHA-256 of the code directory, cut to 20 bytes: the file's name in other seals.
        special: Hashes of things outside the file, by slot number.
        entitlements: What the program may do beyond the usual.
        code_intact: Whether every page of the file still has its hash.
        specials_intact: Whether every blob inside the signature still has its hash.
    """

    identifier: str
    flags: int
    cdhash: bytes
    special: dict[int, bytes]
    entitlements: dict[str, Any]
    code_intact: bool
    specials_intact: bool


def read_signature(macho: MachO) -> Signature:
    """Read and check the signature of ``macho``, a file with one slice.

    Raises:
        SignatureError: If the file is not signed, or with something else than SHA-256.
    """
    if macho.signature is None:
        raise SignatureError("it is not signed")
    data = macho.path.read_bytes()
    offset, length = macho.signature
    blobs = _blobs(data[offset : offset + length])
    directory = next((blob for _, blob in blobs if _is_sha256_directory(blob)), None)
    if directory is None:
        raise SignatureError("its signature has no SHA-256 code directory")
    (flags, hashes, name, n_special, n_code, limit) = struct.unpack(">IIIIII", directory[12:36])
    hash_size, page_size = directory[36], 1 << directory[39]
    special = {
        slot: directory[hashes - slot * hash_size : hashes - (slot - 1) * hash_size]
        for slot in range(1, n_special + 1)
    }
    pages = [data[start : min(start + page_size, limit)] for start in range(0, limit, page_size)]
    stated = [
        directory[hashes + index * hash_size : hashes + (index + 1) * hash_size]
        for index in range(n_code)
    ]
    by_slot = dict(blobs)
    entitlements = by_slot.get(_ENTITLEMENTS_SLOT, b"")
    return Signature(
        identifier=directory[name : directory.index(b"\x00", name)].decode("utf-8", "replace"),
        flags=flags,
        cdhash=hashlib.sha256(directory).digest()[:20],
        special=special,
        entitlements=_entitlements(entitlements),
        code_intact=limit <= offset and [hashlib.sha256(page).digest() for page in pages] == stated,
        specials_intact=all(
            hashlib.sha256(blob).digest() == special.get(slot)
            for slot, blob in by_slot.items()
            if 0 < slot < 0x1000
        ),
    )


def _blobs(data: bytes) -> list[tuple[int, bytes]]:
    """The (slot, blob) pairs of a signature."""
    if len(data) < 12 or struct.unpack(">I", data[:4])[0] != _SUPERBLOB:
        raise SignatureError("its signature is damaged")
    count = struct.unpack(">I", data[8:12])[0]
    blobs = []
    for index in range(count):
        entry = data[12 + 8 * index : 20 + 8 * index]
        if len(entry) < 8:
            raise SignatureError("its signature is cut short")
        slot, start = struct.unpack(">II", entry)
        blobs.append(
            (slot, data[start : start + int.from_bytes(data[start + 4 : start + 8], "big")])
        )
    return blobs


def _is_sha256_directory(blob: bytes) -> bool:
    return (
        len(blob) >= 44
        and struct.unpack(">I", blob[:4])[0] == _CODE_DIRECTORY
        and blob[37] == _SHA256
    )


def _entitlements(blob: bytes) -> dict[str, Any]:
    if len(blob) < 8 or struct.unpack(">I", blob[:4])[0] != _ENTITLEMENTS:
        return {}
    return dict(plistlib.loads(blob[8:]))
