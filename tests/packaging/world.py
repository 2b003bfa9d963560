"""What the frozen application may see: another user, no checkout, no environment.

As root with the right to mount (CAP_SYS_ADMIN), the checkout and the environment are covered by
empty folders that only the application sees. A container often lacks that right: then they are
closed to every other user while the tests run. Without root it runs as it is. A warning says which.
"""

import os
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
# The system's own Python cannot be taken away: the shell lives beside it.
_SYSTEM = {Path("/"), Path("/usr"), Path("/usr/local")}


@dataclass(frozen=True)
class Mount:
    """A folder shown once more, read-only, at ``place``."""

    folder: Path
    place: Path


@dataclass(frozen=True)
class World:
    """How the application is run.

    Attributes:
        user: The user's number; None is the one who runs the tests.
        may_mount: Whether folders can be covered and shown elsewhere, for the application alone.
        hidden: Folders that it must not see.
        mounts: Folders that it sees at another place too.
    """

    user: int | None
    may_mount: bool
    hidden: tuple[Path, ...]
    mounts: tuple[Mount, ...] = ()

    def command(self, *program: str) -> list[str]:
        """The command line that runs ``program`` in this world, as one process."""
        if not self.may_mount:
            return [*_as_user(self.user), *program]
        steps = ["set -e"]
        for mount in self.mounts:
            steps.append(shlex.join(["mount", "--bind", str(mount.folder), str(mount.place)]))
            steps.append(shlex.join(["mount", "-o", "remount,bind,ro", str(mount.place)]))
        steps += [shlex.join(["mount", "-t", "tmpfs", "none", str(path)]) for path in self.hidden]
        script = "\n".join([*steps, 'exec "$@"'])
        return ["unshare", "--mount", "sh", "-c", script, "sh", *_as_user(self.user), *program]


def _as_user(user: int | None) -> list[str]:
    if user is None:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


@contextmanager
def make_world() -> Iterator[World]:
    """The strictest world that this machine allows."""
    hidden = _to_hide()
    if os.geteuid() != 0:
        warnings.warn("not root: the frozen application can see the checkout", stacklevel=2)
        yield World(None, False, ())
        return
    user = NOBODY if _works([*_as_user(NOBODY), "true"]) else None
    world = World(user, True, hidden)
    if _works(world.command("true")):
        yield world
        return
    world = World(user, False, hidden)
    if user is None:
        warnings.warn("no other user can be had: the checkout stays in sight", stacklevel=2)
        yield world
        return
    warnings.warn(
        "no right to mount: the checkout is closed to other users instead of hidden", stacklevel=2
    )
    with _closed(hidden):
        yield world


def _to_hide() -> tuple[Path, ...]:
    folders = {ROOT, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()} - _SYSTEM
    return tuple(
        folder
        for folder in sorted(folders)
        if not any(other in folder.parents for other in folders)  # gone with the other
    )


def _works(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, cwd="/", check=False).returncode == 0


@contextmanager
def _closed(folders: tuple[Path, ...]) -> Iterator[None]:
    modes = {folder: folder.stat().st_mode for folder in folders}
    try:
        for folder, mode in modes.items():
            folder.chmod(mode & ~0o077)
        yield
    finally:
        for folder, mode in modes.items():
            folder.chmod(mode)
