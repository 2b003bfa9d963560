"""What the bundle says about itself: names, versions and the contents of Info.plist."""

import plistlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAME = "Velox"
IDENTIFIER = "app.velox.Velox"
# The oldest macOS that the wheels in requirements-macos.lock run on.
MINIMUM_MACOS = "14.0"
LOCALISATIONS = ["en"]
# Text that can be dropped on the Dock icon or opened with Velox: the content types of macOS.
DOCUMENT_TYPES = [
    "public.plain-text",
    "public.source-code",
    "public.json",
    "public.comma-separated-values-text",
    "net.daringfireball.markdown",
]


def version() -> str:
    """The version in pyproject.toml, the only place where it is written."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def build_number(release: str) -> str:
    """The number that macOS compares: three integers, without the letters of a pre-release."""
    numbers = re.match(r"\d+(?:\.\d+){0,2}", release)
    if numbers is None:
        raise ValueError(f"the version {release!r} in pyproject.toml does not start with a number")
    return numbers.group()


def info_plist(release: str) -> dict[str, Any]:
    """The bundle's Info.plist for version ``release``."""
    return {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleExecutable": NAME,
        "CFBundleIconFile": "velox.icns",
        "CFBundlePackageType": "APPL",
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleShortVersionString": release,
        "CFBundleVersion": build_number(release),
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": LOCALISATIONS,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Text",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": DOCUMENT_TYPES,
            }
        ],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": MINIMUM_MACOS,
        "LSArchitecturePriority": ["arm64"],
        "LSRequiresNativeExecution": True,
        "NSHighResolutionCapable": True,
        "NSPrincipalClass": "NSApplication",
        "NSHumanReadableCopyright": "Velox is free software under the MIT licence.",
    }


if __name__ == "__main__":
    # For the build script: one value, or the whole list of properties.
    if sys.argv[1:] == ["version"]:
        print(version())
    else:
        sys.stdout.write(plistlib.dumps(info_plist(version())).decode())
