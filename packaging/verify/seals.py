"""Signature seals: nothing was added, taken away or changed since the bundle was signed."""

import hashlib
import plistlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from bundle_info import IDENTIFIER
from verify.bundle import Bundle
from verify.code_directory import (
    INFO_PLIST_SLOT,
    RESOURCES_SLOT,
    Signature,
    SignatureError,
    read_signature,
)

ENTITLEMENTS = {
    "com.apple.security.cs.allow-unsigned-executable-memory": True,
    "com.apple.security.cs.disable-library-validation": True,
}
# Not sealed by the rules that every bundle uses: read before the seal, or the seal itself.
_UNSEALED = ("Info.plist", "PkgInfo")


def check_signatures(bundle: Bundle) -> Iterator[str]:
    """Every Mach-O file is signed and unchanged, the program states our name and entitlements."""
    for macho in bundle.machos:
        name = bundle.name(macho.path)
        try:
            signature = read_signature(macho)
        except SignatureError as error:
            yield f"{name}: {error}"
            continue
        if not signature.code_intact:
            yield f"{name} was changed after it was signed"
        if not signature.specials_intact:
            yield f"{name}: what its signature encloses was changed"
        if macho.path == bundle.executable:
            yield from _check_program(bundle, signature)
        elif signature.entitlements:
            yield f"{name} is a library with entitlements of its own"


def check_seal(bundle: Bundle) -> Iterator[str]:
    """The list of sealed files fits the files."""
    path = bundle.contents / "_CodeSignature" / "CodeResources"
    try:
        sealed: dict[str, Any] = plistlib.loads(path.read_bytes())["files2"]
    except (OSError, KeyError, plistlib.InvalidFileException, ExpatError, ValueError):
        yield "Contents/_CodeSignature/CodeResources is missing or damaged: the bundle has no seal"
        return
    present = {
        str(entry.relative_to(bundle.contents)): entry
        for entry in bundle.entries
        if entry.is_relative_to(bundle.contents) and not _is_outside_seal(bundle, entry)
    }
    for name in sorted(set(sealed) - set(present)):
        if not (bundle.contents / name).is_dir() and not _optional(sealed[name]):
            yield f"Contents/{name} is sealed but missing"
    frameworks = tuple(f"{name}/" for name in sealed if name.endswith(".framework"))
    code = {macho.path: macho for macho in bundle.machos}
    for name, entry in present.items():
        if name.startswith(frameworks):
            continue  # sealed by the framework's own signature, whose hash is in ours
        if name not in sealed:
            yield f"Contents/{name} was added after the bundle was sealed"
        elif entry in code and "cdhash" in sealed[name]:
            if sealed[name]["cdhash"] != _cdhash(code[entry]):
                yield f"Contents/{name} is not the library that was sealed"
        elif not _is_as_sealed(entry, sealed[name]):
            yield f"Contents/{name} was changed after the bundle was sealed"


def _check_program(bundle: Bundle, signature: Signature) -> Iterator[str]:
    if signature.identifier != IDENTIFIER:
        yield f"the program is signed as {signature.identifier}, not as {IDENTIFIER}"
    if extra := sorted(set(signature.entitlements) - set(ENTITLEMENTS)):
        yield f"the program has the entitlement {', '.join(extra)}, which it does not need"
    if missing := sorted(set(ENTITLEMENTS) - set(signature.entitlements)):
        yield f"the program lacks the entitlement {', '.join(missing)}"
    for slot, path in (
        (INFO_PLIST_SLOT, bundle.contents / "Info.plist"),
        (RESOURCES_SLOT, bundle.contents / "_CodeSignature" / "CodeResources"),
    ):
        if path.is_file() and hashlib.sha256(path.read_bytes()).digest() != signature.special.get(
            slot
        ):
            yield f"{bundle.name(path)} is not the one that the program's signature seals"


def _is_outside_seal(bundle: Bundle, entry: Path) -> bool:
    return (
        entry == bundle.executable
        or entry.is_relative_to(bundle.contents / "_CodeSignature")
        or (entry.parent == bundle.contents and entry.name in _UNSEALED)
        or entry.name == ".DS_Store"
    )


def _is_as_sealed(entry: Path, seal: Any) -> bool:
    if entry.is_symlink():
        return isinstance(seal, dict) and seal.get("symlink") == str(entry.readlink())
    if not isinstance(seal, dict) or "hash2" not in seal:
        return False
    with entry.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == seal["hash2"]


def _optional(seal: Any) -> bool:
    return isinstance(seal, dict) and bool(seal.get("optional"))


def _cdhash(macho: Any) -> bytes | None:
    try:
        return read_signature(macho).cdhash
    except SignatureError:
        return None
