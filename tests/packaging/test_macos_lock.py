"""The macOS packages locked by hash are those that pyproject.toml and constraints.txt ask for."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement

from bundle_info import MINIMUM_MACOS, ROOT
from licences import normal
from lock_macos import LOCK, PYTHON

MAC = {
    "os_name": "posix",
    "platform_machine": "arm64",
    "platform_system": "Darwin",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
    "python_full_version": f"{PYTHON}.0",
    "python_version": PYTHON,
    "sys_platform": "darwin",
}
# What only a Mac has installed; it needs nothing itself.
MAC_ONLY = {"mlx-metal"}
ENTRY = re.compile(r"([a-z0-9-]+)==(\S+) \\\n    --hash=sha256:[0-9a-f]{64}\n")
STALE = "run: python packaging/lock_macos.py"


def locked():
    return dict(ENTRY.findall(LOCK.read_text(encoding="utf-8")))


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {normal(name): version for name, version in pairs}


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def wanted_on_a_mac(lines):
    """Every requirement that ``lines`` lead to on a Mac, as the packages installed here tell."""
    waiting = [(Requirement(line), {""}) for line in lines]
    seen = set()
    while waiting:
        requirement, extras = waiting.pop()
        marker = requirement.marker
        if marker and not any(marker.evaluate({**MAC, "extra": extra}) for extra in extras):
            continue
        yield requirement
        key = (normal(requirement.name), frozenset(requirement.extras))
        if key in seen or key[0] in MAC_ONLY:
            continue
        seen.add(key)
        own = requirement.extras or {""}
        waiting += [(Requirement(line), own) for line in requires(requirement.name) or []]


def unmet(lines):
    versions = locked()

    def is_met(requirement):
        version = versions.get(normal(requirement.name))
        return version is not None and requirement.specifier.contains(version, prereleases=True)

    return [str(item) for item in wanted_on_a_mac(lines) if not is_met(item)]


def test_every_entry_is_one_version_and_one_hash():
    text = LOCK.read_text(encoding="utf-8")
    entries = ENTRY.findall(text)
    comments = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    assert ENTRY.sub("", text) == comments
    assert len(dict(entries)) == len(entries) > 40
    assert f"CPython {PYTHON}, Apple silicon, macOS {MINIMUM_MACOS} " in comments, STALE


def test_locked_versions_are_the_tested_ones():
    tested = pins()
    different = {
        name: (version, tested.get(name))
        for name, version in locked().items()
        if name not in MAC_ONLY and tested.get(name) != version
    }
    assert different == {}, STALE


def test_everything_the_application_needs_on_a_mac_is_locked():
    assert unmet(project()["dependencies"]) == [], STALE


@pytest.mark.packaging
def test_lock_holds_what_building_needs_too_and_nothing_else():
    lines = project()["dependencies"] + project()["optional-dependencies"]["packaging"]
    assert unmet(lines) == [], STALE
    assert set(locked()) == {normal(item.name) for item in wanted_on_a_mac(lines)}, STALE


def test_requirement_missing_from_the_lock_is_noticed():
    lines = ["numpy<2", "ruff", "mlx==0.32.4; sys_platform == 'linux'"]
    assert unmet(lines) == ["ruff", "numpy<2"]
    with pytest.raises(PackageNotFoundError):
        unmet(["no-such-package-here"])
