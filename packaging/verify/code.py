"""Programs and libraries: the right machine, an old enough macOS, all they load is inside."""

from collections.abc import Iterator
from pathlib import Path

from bundle_info import MINIMUM_MACOS
from verify.bundle import Bundle
from verify.macho import MachO

_SYSTEM = ("/usr/lib/", "/System/Library/")
_MINOS = tuple(int(part) for part in MINIMUM_MACOS.split("."))


def check_architecture(bundle: Bundle) -> Iterator[str]:
    """Every Mach-O file is for Apple silicon only and runs on the oldest macOS we promise."""
    if not bundle.machos:
        yield "the bundle holds no Mach-O file at all"
    for macho in bundle.machos:
        if macho.architectures != ("arm64",):
            found = ", ".join(macho.architectures)
            yield f"{bundle.name(macho.path)} is built for {found}, not for arm64 alone"
        if macho.minos is None:
            yield f"{bundle.name(macho.path)} does not say which macOS it needs"
        elif macho.minos > _MINOS:
            needed = ".".join(map(str, macho.minos))
            yield f"{bundle.name(macho.path)} needs macOS {needed}, newer than {MINIMUM_MACOS}"


def check_libraries(bundle: Bundle) -> Iterator[str]:
    """What a Mach-O file loads comes from the bundle or from macOS, never from anywhere else."""
    program = next((macho for macho in bundle.machos if macho.path == bundle.executable), None)
    for macho in bundle.machos:
        for rpath in macho.rpaths:
            if not rpath.startswith(("@loader_path", "@executable_path", *_SYSTEM)):
                yield f"{bundle.name(macho.path)} looks for libraries in {rpath}"
        for library in macho.libraries:
            if library.startswith(_SYSTEM):
                continue
            found = _resolve(library, macho, program, bundle)
            if found is None:
                yield f"{bundle.name(macho.path)} loads {library}, which is not in the bundle"
            elif not found.resolve().is_relative_to(bundle.root.resolve()):
                yield f"{bundle.name(macho.path)} loads {library} from outside of the bundle"


def check_python(bundle: Bundle) -> Iterator[str]:
    """The Python library that the bootloader starts is there."""
    names = [path.name for path in bundle.library.glob("*")]
    if not any(name in ("Python", "Python.framework") or "libpython3" in name for name in names):
        yield "the Python library is missing from Contents/Frameworks: nothing can start"


def _resolve(library: str, macho: MachO, program: MachO | None, bundle: Bundle) -> Path | None:
    """The file that the loader would take for ``library``, or None."""
    if not library.startswith("@rpath/"):
        candidates = [library]
    else:
        rpaths = (*macho.rpaths, *(program.rpaths if program else ()))
        candidates = [f"{rpath}/{library.removeprefix('@rpath/')}" for rpath in rpaths]
    for candidate in candidates:
        for loader in (macho.path.parent, bundle.executable.parent):
            path = Path(
                candidate.replace("@loader_path", str(loader)).replace(
                    "@executable_path", str(bundle.executable.parent)
                )
            )
            if path.is_file():
                return path
    return None
