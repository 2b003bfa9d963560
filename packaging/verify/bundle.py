"""The bundle under examination: its places, its files, its programs and libraries."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from verify.macho import MachO, is_macho, read_macho


@dataclass
class Bundle:
    """A packaged application: a macOS ``.app``, or the frozen folder that Linux tests.

    Attributes:
        root: The ``.app`` folder, or the frozen folder.
        build_roots: Folders of the building machine whose names must not be inside.
    """

    root: Path
    build_roots: tuple[str, ...] = field(default=())

    @property
    def is_app(self) -> bool:
        """Whether this is a macOS bundle."""
        return self.root.suffix == ".app"

    @property
    def contents(self) -> Path:
        """``Contents`` of the macOS bundle."""
        return self.root / "Contents"

    @property
    def executable(self) -> Path:
        """The program that a double click starts."""
        return self.contents / "MacOS" / "Velox" if self.is_app else self.root / "velox"

    @property
    def library(self) -> Path:
        """Where the frozen Python code believes its files are (``sys._MEIPASS``)."""
        return self.contents / "Frameworks" if self.is_app else self.root / "_internal"

    @property
    def resources(self) -> Path:
        """Our own data files."""
        return self.library / "resources"

    @cached_property
    def entries(self) -> list[Path]:
        """Every file and symlink, links not followed, in a stable order."""
        return sorted(self._walk())

    def _walk(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self.root):
            for name in (*names, *(name for name in folders if Path(folder, name).is_symlink())):
                yield Path(folder, name)

    @cached_property
    def files(self) -> list[Path]:
        """Every regular file."""
        return [path for path in self.entries if not path.is_symlink()]

    @cached_property
    def links(self) -> list[Path]:
        """Every symlink."""
        return [path for path in self.entries if path.is_symlink()]

    @cached_property
    def machos(self) -> list[MachO]:
        """Every Mach-O file, by content and not by name."""
        return [read_macho(path) for path in self.files if is_macho(path)]

    def name(self, path: Path) -> str:
        """``path`` as a report shows it."""
        return str(path.relative_to(self.root))
