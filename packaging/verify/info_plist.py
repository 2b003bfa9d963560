"""Info.plist: what macOS reads before it starts anything."""

import plistlib
import re
from collections.abc import Iterator
from xml.parsers.expat import ExpatError

from bundle_info import IDENTIFIER, MINIMUM_MACOS, info_plist
from verify.bundle import Bundle

_REQUIRED = (
    "CFBundleName",
    "CFBundleIdentifier",
    "CFBundleExecutable",
    "CFBundleIconFile",
    "CFBundleShortVersionString",
    "CFBundleVersion",
    "LSMinimumSystemVersion",
)


def check_info_plist(bundle: Bundle) -> Iterator[str]:
    """Identifier, executable, icon, versions, the oldest macOS, sharp text and dark mode."""
    path = bundle.contents / "Info.plist"
    try:
        plist = plistlib.loads(path.read_bytes())
    except (OSError, plistlib.InvalidFileException, ExpatError, ValueError) as error:
        yield f"Contents/Info.plist cannot be read: {error}"
        return
    missing = [key for key in _REQUIRED if not isinstance(plist.get(key), str) or not plist[key]]
    for key in missing:
        yield f"Info.plist has no text for {key}"
    if missing:
        return
    if plist["CFBundleIdentifier"] != IDENTIFIER or not _is_reverse_dns(IDENTIFIER):
        yield f"Info.plist: CFBundleIdentifier is {plist['CFBundleIdentifier']}, not {IDENTIFIER}"
    if not (bundle.contents / "MacOS" / plist["CFBundleExecutable"]).is_file():
        yield f"Info.plist names the program {plist['CFBundleExecutable']}, which is not there"
    if not (bundle.contents / "Resources" / plist["CFBundleIconFile"]).is_file():
        yield f"Info.plist names the icon {plist['CFBundleIconFile']}, which is not there"
    if plist["LSMinimumSystemVersion"] != MINIMUM_MACOS:
        yield (
            f"Info.plist: LSMinimumSystemVersion is {plist['LSMinimumSystemVersion']}, "
            f"not {MINIMUM_MACOS}"
        )
    yield from _check_versions(plist)
    yield from _check_behaviour(plist)


def _check_versions(plist: dict[str, object]) -> Iterator[str]:
    release, build = str(plist["CFBundleShortVersionString"]), str(plist["CFBundleVersion"])
    if not re.fullmatch(r"\d+(\.\d+){0,2}", build):
        yield f"Info.plist: CFBundleVersion is {build}, not up to three integers"
    elif not release.startswith(build):
        yield f"Info.plist: the versions {release} and {build} contradict each other"


def _check_behaviour(plist: dict[str, object]) -> Iterator[str]:
    if plist.get("NSHighResolutionCapable") is not True:
        yield "Info.plist: NSHighResolutionCapable is missing, so text would be blurred"
    if plist.get("NSRequiresAquaSystemAppearance"):
        yield "Info.plist: NSRequiresAquaSystemAppearance switches dark mode off"
    if plist.get("LSBackgroundOnly") or plist.get("LSUIElement"):
        yield "Info.plist hides the application from the Dock"
    if plist.get("LSEnvironment"):
        yield "Info.plist: LSEnvironment would change what libraries are loaded"
    expected = info_plist(str(plist["CFBundleShortVersionString"]))
    for key in ("CFBundleDocumentTypes", "CFBundleLocalizations"):
        if plist.get(key) != expected[key]:
            yield f"Info.plist: {key} is not what bundle_info.py says"


def _is_reverse_dns(identifier: str) -> bool:
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+){2,}", identifier) is not None
