"""Symlinks and file modes: a bundle is copied, zipped and mounted, and must not change by it."""

import os
import stat
from collections.abc import Iterator

from verify.bundle import Bundle


def check_links(bundle: Bundle) -> Iterator[str]:
    """Every symlink is relative, stays inside and leads somewhere."""
    inside = bundle.root.resolve()
    for link in bundle.links:
        target = link.readlink()
        if target.is_absolute():
            yield f"{bundle.name(link)} is a symlink to the absolute path {target}"
        elif not (link.parent / target).resolve().is_relative_to(inside):
            yield f"{bundle.name(link)} is a symlink that leaves the bundle: {target}"
        elif not link.exists():
            yield f"{bundle.name(link)} is a symlink to {target}, which is not there"


def check_modes(bundle: Bundle) -> Iterator[str]:
    """Nobody but the owner may change a file, the program can be run, no special files."""
    for path in bundle.files:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            yield f"{bundle.name(path)} is neither a file nor a symlink"
        elif mode & (stat.S_IWOTH | stat.S_ISUID | stat.S_ISGID):
            yield f"{bundle.name(path)} has the unsafe mode {stat.filemode(mode)}"
        elif not mode & stat.S_IROTH:
            yield f"{bundle.name(path)} cannot be read by other users"
    if not bundle.executable.is_file():
        yield f"the program {bundle.name(bundle.executable)} is missing"
    elif not bundle.executable.stat().st_mode & stat.S_IXOTH:
        yield f"the program {bundle.name(bundle.executable)} may not be run"


def check_layout(bundle: Bundle) -> Iterator[str]:
    """Code and data lie where code signing allows them."""
    for path in bundle.files:
        parts = (
            path.relative_to(bundle.contents).parts if path.is_relative_to(bundle.contents) else ()
        )
        if not parts:
            yield f"{bundle.name(path)} lies outside of Contents"
        elif parts[0] == "MacOS" and path != bundle.executable:
            yield f"{bundle.name(path)} does not belong beside the program"
        elif parts[0] == "Frameworks" and _has_dot(parts[1:-1]):
            yield f"{bundle.name(path)} is in a folder whose name has a dot, which cannot be signed"
    code = {macho.path for macho in bundle.machos}
    for path in bundle.files:
        if path.is_relative_to(bundle.contents / "Resources") and path in code:
            yield f"{bundle.name(path)} is code among the resources"
        elif path.is_relative_to(bundle.library) and path not in code and not _in_framework(path):
            yield f"{bundle.name(path)} is data among the code, which cannot be signed"


def _has_dot(folders: tuple[str, ...]) -> bool:
    for name in folders:
        if name.endswith(".framework"):
            return False
        if "." in name:
            return True
    return False


def _in_framework(path: os.PathLike[str]) -> bool:
    return ".framework/" in os.fspath(path)
