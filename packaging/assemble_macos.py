"""Assembles on Linux what the macOS bundle would look like: the verifier's subject, NOT a release.

The frozen Linux folder's table of contents, the locked macOS wheels, PyInstaller's macOS bootloader
and its own bundle layout give a bundle that lacks only CPython itself, so it can never start.
Signed ad hoc. ``python packaging/assemble_macos.py`` after ``make app``.
"""

import hashlib
import json
import plistlib
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import PathDistribution
from pathlib import Path

import apple_platform
from PyInstaller.building.osx import BUNDLE
from PyInstaller.utils.osx import collect_files_from_framework_bundles, fix_exe_for_code_signing

PACKAGING = Path(__file__).resolve().parent
sys.path.insert(0, str(PACKAGING))

import bundle_info
import collect
import licences
from lock_macos import LOCK, WHEELS, download
from thin_macho import arm64_slice, remove_signature
from verify.macho import is_macho, read_macho

BUILD = bundle_info.ROOT / "build"
NAME = "NOT-A-RELEASE.app"
_CODE = ("EXTENSION", "BINARY")

Entry = tuple[str, str, str]


def unpack_wheels(folder: Path) -> None:
    """Fetch the locked wheels, unless they are here, and unpack them into ``folder``."""
    download(LOCK.read_text(encoding="utf-8"), WHEELS, hashed=True)
    shutil.rmtree(folder, ignore_errors=True)
    locked = LOCK.read_text(encoding="utf-8")
    for wheel in sorted(WHEELS.glob("*.whl")):
        if hashlib.sha256(wheel.read_bytes()).hexdigest() not in locked:
            continue  # left over from an older lock file
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def macos_contents(frozen: Iterable[Entry], wheels: Path, work: Path) -> list[Entry]:
    """Turn the frozen Linux folder's table of contents into the one a Mac would have.

    Args:
        frozen: The Linux table: destination, source, kind.
        wheels: The folder with the unpacked macOS wheels.
        work: A folder for files that are made here.
    """
    entries: dict[str, Entry] = {}
    for destination, source, kind in frozen:
        if ".dist-info/" in destination or kind == "SYMLINK":
            continue
        if kind == "DATA":
            twin = wheels / destination
            entries[destination] = (destination, str(twin if twin.is_file() else source), kind)
        elif kind == "EXTENSION" and (found := _extension(destination, wheels)):
            entries[found] = (found, str(wheels / found), kind)
    code = [*wheels.glob("mlx/lib/*.dylib"), *_qt_plugins(wheels)]
    code += [wheels / name for name, _, kind in entries.values() if kind == "EXTENSION"]
    for path in _with_libraries(code, wheels):
        name = str(path.relative_to(wheels))
        entries.setdefault(name, (name, str(path), "BINARY"))
    for path in wheels.glob("mlx/lib/*.metallib"):
        entries[f"mlx/lib/{path.name}"] = (f"mlx/lib/{path.name}", str(path), "DATA")
    entries |= {entry[0]: entry for entry in _texts(wheels, work)}
    # As PyInstaller links a library that others load, and as velox.spec links the kernels.
    for name in ("libmlx.dylib", "mlx.metallib"):
        entries[name] = (name, f"mlx/lib/{name}", "SYMLINK")
    return collect_files_from_framework_bundles(list(entries.values()))


def _extension(destination: str, wheels: Path) -> str | None:
    """The macOS twin of a Linux extension module, or None for CPython's own."""
    path = Path(destination)
    stem = path.name.partition(".")[0]
    twins = sorted((wheels / path.parent).glob(f"{stem}.*so"))
    return str(twins[0].relative_to(wheels)) if twins else None


def _qt_plugins(wheels: Path) -> list[Path]:
    plugins = wheels / "PySide6" / "Qt" / "plugins"
    found = list(plugins.rglob("*.dylib"))
    names = {entry[0] for entry in collect.kept((str(p), str(p), "BINARY") for p in found)}
    return [path for path in found if str(path) in names]


def _with_libraries(code: list[Path], wheels: Path) -> Iterator[Path]:
    """``code`` and every library of the wheels that it loads, directly or not."""
    by_name = {path.name: path for path in wheels.rglob("*.dylib")}
    by_name |= {path.name: path for path in wheels.glob("PySide6/Qt/lib/*/Versions/A/Qt*")}
    waiting, seen = list(code), set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        yield path
        names = [Path(library).name for library in read_macho(path).libraries]
        waiting += [by_name[name] for name in names if name in by_name]


def _texts(wheels: Path, work: Path) -> Iterator[Entry]:
    """Metadata and licences of the macOS packages."""
    packages = {
        licences.normal(info.name.split("-")[0]): PathDistribution(info)
        for info in wheels.glob("*.dist-info")
    }
    environment = {"sys_platform": "darwin", "platform_system": "Darwin"}
    environment |= {"platform_machine": "arm64", "python_version": "3.12"}
    bundled = licences.bundled_distributions(
        lambda name: packages[licences.normal(name)], environment
    )
    work.mkdir(parents=True, exist_ok=True)
    for source, folder in collect.metadata_files(bundled, work / "metadata"):
        yield f"{folder}/{Path(source).name}", source, "DATA"
    from velox_core.models.starter import install_starter

    text = work / licences.FILE_NAME
    text.write_text(licences.collect(install_starter(), bundled), encoding="utf-8")
    yield f"resources/{text.name}", str(text), "DATA"


def program(package: Path, wheels: Path, work: Path) -> Path:
    """The macOS program: the bootloader for Apple silicon with the frozen code behind it."""
    built = work / bundle_info.NAME
    loader = wheels / "PyInstaller" / "bootloader" / "Darwin-64bit" / "runw"
    built.write_bytes(arm64_slice(loader.read_bytes()))
    remove_signature(built)
    with built.open("ab") as file:
        file.write(package.read_bytes())
    fix_exe_for_code_signing(str(built))
    built.chmod(0o755)
    return built


def lay_out(contents: list[Entry], bundle: Path) -> None:
    """Write ``contents`` into ``bundle`` where PyInstaller's own layout puts them."""
    shutil.rmtree(bundle, ignore_errors=True)
    table = BUNDLE._process_bundle_toc(BUNDLE.__new__(BUNDLE), sorted(contents))
    for destination, source, kind in table:
        path = bundle / destination
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "SYMLINK":
            path.symlink_to(source)
        elif is_macho(Path(source)):
            path.write_bytes(arm64_slice(Path(source).read_bytes()))
            path.chmod(0o755)
        else:
            shutil.copyfile(source, path)
    plist = bundle_info.info_plist(bundle_info.version())
    (bundle / "Contents" / "Info.plist").write_bytes(plistlib.dumps(plist))
    icon = bundle_info.ROOT / "resources" / "icons" / plist["CFBundleIconFile"]
    shutil.copyfile(icon, bundle / "Contents" / "Resources" / icon.name)


def sign(bundle: Path) -> None:
    """Sign ``bundle`` ad hoc, inside out, with the hardened runtime and our entitlements."""
    apple_platform.sign(
        bundle,
        binary_identifier=bundle_info.IDENTIFIER,
        entitlements_xml_file=PACKAGING / "entitlements.plist",
        code_signature_flags=["runtime"],
    )


def assemble(build: Path = BUILD) -> Path:
    """Assemble, sign and return the bundle; needs the build folder of `make app`."""
    work, wheels = build / "macos", build / "macos" / "wheels"
    unpack_wheels(wheels)
    frozen = json.loads((build / "velox" / "contents.json").read_text(encoding="utf-8"))
    contents = macos_contents(map(tuple, frozen), wheels, work)
    built = program(build / "velox" / "velox.pkg", wheels, work)
    contents.append((built.name, str(built), "EXECUTABLE"))
    bundle = work / NAME
    lay_out(contents, bundle)
    sign(bundle)
    return bundle


if __name__ == "__main__":
    sys.path.insert(0, str(bundle_info.ROOT))
    print(f"{assemble()}: only for the verifier, it cannot start")
