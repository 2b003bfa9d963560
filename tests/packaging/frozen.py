"""The frozen application where a person could have put it, and how the tests run it."""

import os
import shutil
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.packaging.world import Mount, World

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "dist" / "Velox"


@dataclass(frozen=True)
class Frozen:
    """A copy of the frozen folder, run as another user and without the checkout.

    Attributes:
        folder: The copy; its path has a space and an accent.
        home: The user's home, the only place where it may write.
        world: What the application may see and who runs it.
    """

    folder: Path
    home: Path
    world: World

    @property
    def program(self) -> Path:
        return self.folder / "velox"

    def command(self, *arguments: str) -> list[str]:
        """The command line that runs it in its world."""
        return self.world.command(str(self.program), *arguments)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "VELOX_HOME": str(self.home / "Vélox data"),
            "QT_QPA_PLATFORM": "offscreen",
            **more,
        }

    def run(
        self, *arguments: str, cwd: Path | str = "/", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.command(*arguments),
            cwd=cwd,
            env=self.environment(**more),
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )

    @contextmanager
    def translocated(self) -> Iterator["Frozen"]:
        """The same application read-only at a place of its own, as macOS starts a download.

        Without the right to mount it is moved there with all its files made read-only.
        """
        place = self.folder.parents[1] / "AppTranslocation" / str(uuid.uuid4()).upper() / "d"
        place.mkdir(parents=True)
        if self.world.may_mount:
            world = replace(self.world, mounts=(Mount(self.folder, place),))
            yield replace(self, folder=place, world=world)
            return
        warnings.warn("no right to mount: read-only files stand for a read-only disk", stacklevel=2)
        folder = self.folder.rename(place / self.folder.name)
        modes = {path: path.stat().st_mode for path in folder.rglob("*") if not path.is_symlink()}
        try:
            for path, mode in modes.items():
                path.chmod(mode & ~0o222)
            yield replace(self, folder=folder)
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
            folder.rename(self.folder)


def find_place() -> str:
    """A folder for temporary files from which programs may be run; many a ``/tmp`` forbids it."""
    places = [tempfile.gettempdir(), "/var/tmp"]
    good = [place for place in places if not os.statvfs(place).f_flag & os.ST_NOEXEC]
    return next(iter(good), places[0])


def install(folder: Path, world: World) -> Frozen:
    """Copy the frozen application below ``folder``, readable and not writable for others."""
    if not BUILT.is_dir():
        raise RuntimeError("dist/Velox is not there; run these tests with: make test-app")
    target, home = folder / "Mes applications é" / "Velox", folder / "home"
    shutil.copytree(BUILT, target, symlinks=True)
    home.mkdir()
    if world.user is not None:
        os.chown(home, world.user, world.user)
    return Frozen(target, home, world)
