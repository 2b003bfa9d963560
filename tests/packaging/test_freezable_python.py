"""The application is frozen from a Python that has its shared library."""

import sys

import pytest

import freezable_python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a Mac brings its own Python")


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Makes interpreters: one that can be frozen is the one that runs this, another says no."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(freezable_python, "install_library", lambda: None)
    monkeypatch.setattr(freezable_python, "SYSTEM", tmp_path / "usr" / "bin")

    def make(name, good):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        body = f'exec "{sys.executable}" "$@"' if good else "exit 1"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_own_python_is_used_when_it_has_its_library(machine):
    machine("python3.12", True)
    assert freezable_python.choose(machine("own", True)) == ""


def test_another_python_gets_an_environment_otherwise(machine):
    machine("python3.12", False)
    other = machine("python3.13", True)
    expected = f"VENV=build/environment PYTHON={other}"
    assert freezable_python.choose(machine("own", False)) == expected


def test_systems_python_is_found_outside_the_path(machine):
    other = machine("usr/bin/python3.11", True)
    assert freezable_python.choose(machine("own", False)).endswith(f"PYTHON={other}")


def test_library_is_installed_before_giving_up(machine, monkeypatch):
    own = machine("own", False)
    monkeypatch.setattr(freezable_python, "install_library", lambda: machine("own", True))
    assert freezable_python.choose(own) == ""


def test_machine_without_any_says_what_to_install(machine):
    with pytest.raises(SystemExit, match=r"install the package libpython3\.x\.$"):
        freezable_python.choose(machine("own", False))
