"""The frozen application where a person could have put it, and how the tests run it."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "dist" / "Velox"
_NOBODY = 65534


@dataclass(frozen=True)
class Frozen:
    """A copy of the frozen folder, run as another user and without the checkout.

    Attributes:
        folder: The copy; its path has a space and an accent.
        home: The user's home, the only place where it may write.
    """

    folder: Path
    home: Path

    @property
    def program(self) -> Path:
        return self.folder / "velox"

    def command(self, *arguments: str) -> list[str]:
        """The command line; as root, in a world where checkout and environment are empty."""
        if os.geteuid() != 0:
            return [str(self.program), *arguments]
        # The system's own Python cannot be hidden: the shell lives beside it.
        hidden = {str(ROOT), str(Path(sys.prefix).resolve()), str(Path(sys.base_prefix).resolve())}
        hidden -= {"/usr", "/usr/local", "/"}
        hidden -= {path for path in hidden if path.startswith(f"{ROOT}/")}  # gone with the checkout
        hide = "".join(f"mount -t tmpfs none '{path}' && " for path in sorted(hidden))
        script = f"{hide}cd / && exec setpriv --reuid={_NOBODY} --regid={_NOBODY} --clear-groups "
        return [
            "unshare",
            "--mount",
            "sh",
            "-c",
            script + '"$@"',
            "sh",
            str(self.program),
            *arguments,
        ]

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "VELOX_HOME": str(self.home / "Vélox data"),
            "QT_QPA_PLATFORM": "offscreen",
            **more,
        }

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(**more),
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )


def install(folder: Path) -> Frozen:
    """Copy the frozen application below ``folder``, readable and not writable for others."""
    if not BUILT.is_dir():
        raise RuntimeError("dist/Velox is not there; run these tests with: make test-app")
    target, home = folder / "Mes applications é" / "Velox", folder / "home"
    shutil.copytree(BUILT, target, symlinks=True)
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, _NOBODY, _NOBODY)
    return Frozen(target, home)
