"""The workflows ask for few rights, and their scripts are sound."""

import re
import shutil
import subprocess

import pytest
import yaml

from bundle_info import ROOT
from tests.packaging.shell import complaints

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
NAMES = [path.name for path in FILES]


def steps(path):
    """Each step of a workflow, with the name of its job."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, job in workflow["jobs"].items():
        for step in job["steps"]:
            yield name, step


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_workflow_may_only_read_unless_a_job_says_more(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    more = {name for name, job in workflow["jobs"].items() if "permissions" in job}
    assert more <= {"draft"}
    assert all(job["timeout-minutes"] <= 90 for name, job in workflow["jobs"].items())


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_scripts_take_values_from_variables_only(path):
    # What an expression gives would become part of the script.
    assert [name for name, step in steps(path) if EXPRESSION.search(step.get("run", ""))] == []


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_actions_are_the_publishers_own(path):
    used = {step["uses"] for _, step in steps(path) if "uses" in step}
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", name) for name in used), used


def test_release_tells_the_build_where_releases_are_published():
    [build] = [
        step
        for name, step in steps(ROOT / ".github/workflows/release.yml")
        if name == "build" and step.get("run") == "packaging/build_macos.sh"
    ]
    page = "${{ github.server_url }}/${{ github.repository }}/releases"
    assert build["env"] == {"VELOX_RELEASES_URL": page}


@pytest.mark.packaging
@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_scripts_in_workflows_are_sound(path):
    for name, step in steps(path):
        if "run" in step:
            assert complaints(f"#!/bin/bash -e\n{step['run']}") == "", (name, step.get("name"))


@pytest.mark.packaging
@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is missing")
def test_workflows_pass_actionlint():
    done = subprocess.run(["actionlint"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0
