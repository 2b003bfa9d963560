"""Ways to break a bundle, each with the words that the verifier must find for it."""

import os
import plistlib
import shutil
from collections.abc import Callable
from pathlib import Path

Break = Callable[[Path], None]
LIBMLX = "Frameworks/mlx/lib/libmlx.dylib"
PROGRAM = "MacOS/Velox"


def rewrite(path: Path, data: bytes) -> None:
    """Give ``path`` new contents; the copy shares its files with the original until then."""
    mode = path.stat().st_mode
    path.unlink()
    path.write_bytes(data)
    path.chmod(mode)


def patched(name: str, old: bytes, new: bytes) -> Break:
    def break_it(contents: Path) -> None:
        data = (contents / name).read_bytes()
        if old not in data:
            raise ValueError(f"{name} does not hold {old!r}")
        rewrite(contents / name, data.replace(old, new, 1))

    return break_it


def changed(name: str, offset: int, new: bytes) -> Break:
    def break_it(contents: Path) -> None:
        data = bytearray((contents / name).read_bytes())
        data[offset : offset + len(new)] = new
        rewrite(contents / name, bytes(data))

    return break_it


def cut(name: str) -> Break:
    def break_it(contents: Path) -> None:
        data = (contents / name).read_bytes()
        rewrite(contents / name, data[: len(data) // 2])

    return break_it


def removed(name: str) -> Break:
    return lambda contents: (contents / name).unlink()


def added(name: str, data: bytes) -> Break:
    def break_it(contents: Path) -> None:
        (contents / name).parent.mkdir(parents=True, exist_ok=True)
        (contents / name).write_bytes(data)

    return break_it


def linked(name: str, target: str) -> Break:
    return lambda contents: (contents / name).symlink_to(target)


def plist(**values: object) -> Break:
    """Info.plist with other values; None takes a key away."""

    def break_it(contents: Path) -> None:
        path = contents / "Info.plist"
        found = {**plistlib.loads(path.read_bytes()), **values}
        rewrite(path, plistlib.dumps({k: v for k, v in found.items() if v is not None}))

    return break_it


def moved(name: str, target: str) -> Break:
    def break_it(contents: Path) -> None:
        (contents / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(contents / name, contents / target)

    return break_it


def mode(name: str, bits: int) -> Break:
    def break_it(contents: Path) -> None:
        data = (contents / name).read_bytes()
        rewrite(contents / name, data)
        os.chmod(contents / name, bits)  # noqa: PTH101

    return break_it


def signed_with(entitlement: str) -> Break:
    """The bundle signed again, with one entitlement more."""

    def break_it(contents: Path) -> None:
        import apple_platform

        import assemble_macos
        import bundle_info

        own = plistlib.loads((assemble_macos.PACKAGING / "entitlements.plist").read_bytes())
        listed = contents.parent.parent / "entitlements.plist"
        listed.write_bytes(plistlib.dumps({**own, entitlement: True}))
        data = (contents / PROGRAM).read_bytes()
        rewrite(contents / PROGRAM, data)
        apple_platform.sign(
            contents / PROGRAM,
            binary_identifier=bundle_info.IDENTIFIER,
            entitlements_xml_file=listed,
        )

    return break_it


METALLIB = "Resources/mlx/lib/mlx.metallib"
STARTER = "Resources/resources/starter/SmolLM2-135M-Instruct"
LICENCES = "Resources/resources/THIRD-PARTY-LICENCES.txt"
MACOS_15 = (15 << 16).to_bytes(4, "little")

BREAKAGES: dict[str, tuple[Break, str]] = {
    "another identifier": (plist(CFBundleIdentifier="velox"), "CFBundleIdentifier is velox"),
    "no version": (plist(CFBundleShortVersionString=None), "no text for CFBundleShortVersion"),
    "contradicting versions": (plist(CFBundleVersion="9.9"), "contradict each other"),
    "program misnamed": (plist(CFBundleExecutable="Vlox"), "names the program Vlox"),
    "older macOS promised": (plist(LSMinimumSystemVersion="12.0"), "LSMinimumSystemVersion is 12"),
    "blurred": (plist(NSHighResolutionCapable=None), "NSHighResolutionCapable is missing"),
    "no dark mode": (plist(NSRequiresAquaSystemAppearance=True), "switches dark mode off"),
    "loader variables": (plist(LSEnvironment={"DYLD_LIBRARY_PATH": "/tmp"}), "LSEnvironment"),
    "no plist": (cut("Info.plist"), "Info.plist cannot be read"),
    "icon cut short": (cut("Resources/velox.icns"), "velox.icns is damaged"),
    "icon missing": (removed("Resources/velox.icns"), "velox.icns is missing"),
    "absolute link": (linked("Resources/tmp", "/private/tmp"), "absolute path /private/tmp"),
    "link outside": (linked("Resources/up", "../../../x"), "leaves the bundle"),
    "dead link": (linked("Resources/dead", "nothing"), "to nothing, which is not there"),
    "Intel library": (changed(LIBMLX, 4, b"\x07\x00\x00\x01"), "built for x86_64"),
    "newer macOS needed": (
        # LC_BUILD_VERSION, 32 bytes long, for platform 1 (macOS), and its minos.
        patched(
            LIBMLX,
            b"\x32\x00\x00\x00\x20\x00\x00\x00\x01\x00\x00\x00\x00\x00\x0e\x00",
            b"\x32\x00\x00\x00\x20\x00\x00\x00\x01\x00\x00\x00" + MACOS_15,
        ),
        "needs macOS 15.0, newer than 14.0",
    ),
    "library missing": (removed(LIBMLX), "loads @rpath/libmlx.dylib, which is not in the bundle"),
    "foreign rpath": (
        patched("Frameworks/PySide6/QtGui.abi3.so", b"@loader_path/Qt/lib", b"/opt/homebrew/lib/x"),
        "looks for libraries in /opt/homebrew/lib/x",
    ),
    "kernels not linked": (removed("Frameworks/mlx.metallib"), "missing beside libmlx.dylib"),
    "kernels cut short": (cut(METALLIB), "is cut short"),
    "kernels for a newer macOS": (changed(METALLIB, 12, b"\x1a\x00"), "needs macOS 26.0"),
    "kernels of another kind": (changed(METALLIB, 0, b"ELF!"), "is no Metal library"),
    "changed library": (changed(LIBMLX, 100_000, b"\xff" * 8), "libmlx.dylib was changed after"),
    "signature torn off": (
        lambda contents: strip_signature(contents / LIBMLX),
        "libmlx.dylib: it is not signed",
    ),
    "more entitlements": (
        signed_with("com.apple.security.get-task-allow"),
        "has the entitlement com.apple.security.get-task-allow, which it does not need",
    ),
    "changed resource": (changed(LICENCES, 0, b"X"), "was changed after the bundle was sealed"),
    "added file": (added("Resources/extra.txt", b"hello"), "was added after the bundle was sealed"),
    "no seal": (removed("_CodeSignature/CodeResources"), "the bundle has no seal"),
    "data among code": (added("Frameworks/mlx/note.txt", b"x"), "data among the code"),
    "code among data": (
        moved(LIBMLX, "Resources/libmlx.dylib"),
        "Resources/libmlx.dylib is code among the resources",
    ),
    "starter missing": (
        removed(f"{STARTER}/model.safetensors"),
        "the starter model's model.safetensors is missing",
    ),
    "another starter": (
        changed(f"{STARTER}/model.safetensors", 50_000_000, b"\x00" * 64),
        "model.safetensors is not the one that was converted",
    ),
    "no licences": (removed(LICENCES), "THIRD-PARTY-LICENCES.txt is missing"),
    "licence left out": (patched(LICENCES, b"=== numpy ", b"=== pynum "), "no entry for numpy"),
    "build path": (
        added("Resources/built.txt", b"from /builder/velox-checkout/x"),
        "folder /builder/velox-ch",
    ),
    "test data": (added("Resources/numpy/tests/data.npy", b"x"), "is test data or a left-over"),
    "too heavy": (added("Resources/big.bin", bytes(300_000_000)), "MB, more than"),
    "writable by all": (mode(LICENCES, 0o666), "has the unsafe mode"),
    "program not runnable": (mode(PROGRAM, 0o644), "may not be run"),
    "no Python code": (cut(PROGRAM), "holds no Python code"),
}


def strip_signature(path: Path) -> None:
    from thin_macho import remove_signature

    rewrite(path, path.read_bytes())
    remove_signature(path)
    path.chmod(0o755)
