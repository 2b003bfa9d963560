"""Collects the licence of everything that a bundle carries into one text."""

import re
import sysconfig
import tomllib
from collections.abc import Callable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

from bundle_info import ROOT

FILE_NAME = "THIRD-PARTY-LICENCES.txt"
TEXTS = Path(__file__).resolve().parent / "licences"
_QT_TERMS = ("LGPL-3.0.txt", "GPL-3.0.txt")
# Packages whose wheels name their licence without bringing its text.
_TEXT_FOR = {
    "cmeel-openblas": ("OpenBLAS.txt",),
    "pyside6-essentials": _QT_TERMS,
    "sentencepiece": ("Apache-2.0.txt",),
    "shiboken6": _QT_TERMS,
    "tokenizers": ("Apache-2.0.txt",),
}
_LICENCE_FILE = re.compile(r"(^|/)(licen[cs]e|copying|notice|authors)[^/]*$", re.IGNORECASE)
_QT_NOTE = """\
Qt and PySide6 are used under the GNU Lesser General Public License, version 3, as unchanged shared
libraries. They can be replaced by other builds of the same version inside this bundle. Their source
code is offered by The Qt Company under the names "pyside-setup" and "qtbase", version 6.9.3.
"""


def bundled_distributions(
    find: Callable[[str], Distribution] = distribution,
    environment: dict[str, str] | None = None,
) -> list[Distribution]:
    """Every package that the application needs, sorted by name.

    Args:
        find: Gives a package by its name; by default, as installed here.
        environment: Marker values of another system, to say what it needs.

    Raises:
        PackageNotFoundError: If one is not installed.
    """
    with (ROOT / "pyproject.toml").open("rb") as file:
        wanted = list(tomllib.load(file)["project"]["dependencies"])
    system = environment or {}
    found: dict[str, Distribution] = {}
    while wanted:
        requirement = Requirement(wanted.pop())
        extras = requirement.extras or {""}
        if requirement.marker and not requirement.marker.evaluate({**system, "extra": ""}):
            continue
        name = normal(requirement.name)
        if name in found and not requirement.extras:
            continue
        found[name] = find(requirement.name)
        for line in found[name].requires or []:
            inner = Requirement(line)
            if inner.marker is None or any(
                inner.marker.evaluate({**system, "extra": extra}) for extra in extras
            ):
                # What asked for it was evaluated here, with the extras of this place.
                inner.marker = None
                wanted.append(str(inner))
    return [found[name] for name in sorted(found)]


def normal(name: str) -> str:
    """A package's name as an index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_texts(package: Distribution) -> list[str]:
    """The licence texts of one package.

    Raises:
        ValueError: If there is none, here or in its wheel.
    """
    name = normal(package.metadata["Name"])
    texts = [
        Path(str(package.locate_file(file))).read_text(encoding="utf-8", errors="replace")
        for file in package.files or []
        if ".dist-info/" in str(file) and _LICENCE_FILE.search(str(file))
    ]
    texts += [(TEXTS / text).read_text(encoding="utf-8") for text in _TEXT_FOR.get(name, ())]
    if not texts:
        raise ValueError(f"{name} brings no licence text; add one to licences.py")
    return list(dict.fromkeys(texts))


def collect(starter: Path, packages: list[Distribution]) -> str:
    """The text of all licences of ``packages`` and of the starter model in folder ``starter``."""
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    sections = [
        _section("python", sysconfig.get_python_version(), [python.read_text(encoding="utf-8")]),
        _section("qt", "6.9.3", [_QT_NOTE]),
        _section(
            "smollm2-135m-instruct",
            "starter model",
            [(starter / name).read_text(encoding="utf-8") for name in ("NOTICE", "LICENSE")],
        ),
        _section("pyinstaller", "bootloader", licence_texts(distribution("pyinstaller"))),
    ]
    for package in packages:
        name = normal(package.metadata["Name"])
        sections.append(_section(name, package.version, licence_texts(package)))
    return "Velox contains these works of others, each under its own terms.\n\n" + "\n".join(
        sections
    )


def _section(name: str, detail: str, texts: list[str]) -> str:
    return f"=== {name} ({detail})\n\n" + "\n\n".join(text.strip() for text in texts) + "\n"
