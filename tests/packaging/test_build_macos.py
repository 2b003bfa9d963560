"""The one command on a Mac, run against stand-ins for Apple's tools that note their calls."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.shell import complaints

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path("packaging/build_macos.sh")
TOOLS = (
    "codesign",
    "ditto",
    "hdiutil",
    "install_name_tool",
    "lipo",
    "uv",
    "xcrun",
    "spctl",
    "xattr",
)
MACHINE = {
    "uname": '[ "$1" = -m ] && echo arm64 || echo Darwin',
    "sysctl": "echo 0",
    "sw_vers": "echo 14.5",
    "xcode-select": "exit 0",
}


@pytest.fixture
def mac(tmp_path: Path) -> Path:
    """A copy of the script in a checkout of its own, beside a folder of stand-ins."""
    (tmp_path / "packaging").mkdir()
    shutil.copy(ROOT / SCRIPT, tmp_path / SCRIPT)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for tool in TOOLS:
        stand_in(tmp_path, tool, "exit 0")
    for tool, body in MACHINE.items():
        stand_in(tmp_path, tool, body)
    program = tmp_path / "build/macos-mount/Velox.app/Contents/MacOS/Velox"
    for path in (program, tmp_path / "build/macos-environment/bin/python"):
        path.parent.mkdir(parents=True)
        path.write_text(f'#!/bin/sh\necho "{path.name} $* $VELOX_DEVICE" >> "{tmp_path}/calls"\n')
        path.chmod(0o755)
    (tmp_path / "dist/Velox.app/Contents/Frameworks/QtCore.framework").mkdir(parents=True)
    (tmp_path / "dist/Velox.app/Contents/Frameworks/libmlx.dylib").touch()
    return tmp_path


def stand_in(mac: Path, tool: str, body: str) -> None:
    path = mac / "bin" / tool
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{tool} $*" >> "{mac}/calls"\n{body}\n')
    path.chmod(0o755)


def build(mac: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{mac / 'bin'}:/usr/bin:/bin", "HOME": str(mac), **variables}
    command = ["bash", str(mac / SCRIPT), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def calls(mac: Path) -> list[str]:
    return (mac / "calls").read_text().splitlines()


def index_of(lines: list[str], part: str) -> int:
    return next(index for index, line in enumerate(lines) if part in line)


@pytest.mark.parametrize(
    ("tool", "body", "message"),
    [
        ("uname", "echo Linux", "can only be built on a Mac"),
        ("uname", '[ "$1" = -m ] && echo x86_64 || echo Darwin', "this is an Intel Mac"),
        ("sysctl", "echo 1", "runs under Rosetta"),
        ("sw_vers", "echo 13.6.9", "this Mac runs macOS 13.6.9; building needs macOS 14"),
        ("xcode-select", "exit 1", "xcode-select --install"),
        ("uv", None, "uv is missing; install it with"),
        ("codesign", None, "the tool codesign is missing"),
    ],
)
def test_build_stops_with_one_line_when_machine_unfit(mac, tool, body, message):
    if body is None:
        (mac / "bin" / tool).unlink()
    else:
        stand_in(mac, tool, body)
    done = build(mac)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_build_signs_inside_out_then_verifies_then_tests_the_image(mac):
    done = build(mac)
    assert done.returncode == 0, done.stderr
    lines = calls(mac)
    order = [
        "uv venv",
        "uv pip install",
        "python packaging/build_app.py --freeze",
        "libmlx.dylib",
        "QtCore.framework",
        "--entitlements packaging/entitlements.plist dist/Velox.app",
        "python packaging/verify_app.py dist/Velox.app",
        "codesign --verify --deep --strict",
        "hdiutil create",
        "hdiutil attach",
        "Velox --self-test",
        "hdiutil detach",
    ]
    positions = [index_of(lines, part) for part in order]
    assert positions == sorted(positions)
    assert not any("notarytool" in line for line in lines)


def test_build_notarises_and_staples_app_and_image_with_identity(mac):
    done = build(mac, VELOX_SIGN_IDENTITY="Developer ID", VELOX_NOTARY_PROFILE="velox")
    assert done.returncode == 0, done.stderr
    lines = calls(mac)
    signed = [line for line in lines if line.startswith("codesign --force")]
    assert all("--sign Developer ID" in line and "--timestamp=none" not in line for line in signed)
    assert sum("notarytool submit" in line and "--wait" in line for line in lines) == 2
    assert sum("stapler staple" in line for line in lines) == 2
    assert sum(line.startswith("spctl --assess") for line in lines) == 2
    assert index_of(lines, "stapler staple dist/Velox.app") < index_of(lines, "hdiutil create")


def test_build_refuses_to_notarise_without_identity(mac):
    done = build(mac, VELOX_NOTARY_PROFILE="velox")
    assert done.returncode == 2
    assert "needs VELOX_SIGN_IDENTITY" in done.stderr


@pytest.mark.parametrize(("complaint", "status"), [("no metallib found", 2), ("GPU timeout", 0)])
def test_hosted_self_test_fails_only_on_kernels(mac, complaint, status):
    program = mac / "build/macos-mount/Velox.app/Contents/MacOS/Velox"
    program.write_text(
        f'#!/bin/sh\n[ "$VELOX_DEVICE" = cpu ] || {{ echo "{complaint}"; exit 1; }}\n'
    )
    done = build(mac, VELOX_SELF_TEST="hosted")
    assert done.returncode == status, done.stderr
    assert "hdiutil detach" in calls(mac)[-1]


def test_dry_run_prints_every_step_and_does_none(mac):
    done = build(mac, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert not (mac / "calls").exists()
    for part in ("uv venv", "codesign", "verify_app.py", "hdiutil create", "--self-test"):
        assert part in done.stdout
    assert not (mac / "build/macos-image").exists()


@pytest.mark.packaging
def test_scripts_pass_shellcheck():
    scripts = [*sorted((ROOT / "packaging").glob("*.sh")), ROOT / ".ci/run"]
    found = {path.name: complaints(path.read_text(encoding="utf-8")) for path in scripts}
    assert found == dict.fromkeys(found, "")
