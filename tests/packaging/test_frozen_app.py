"""The frozen application without a window: another user, no checkout, no environment."""

import json
import os
import subprocess
import sys

import pytest

from tests.packaging.frozen import BUILT, ROOT
from verify_app import verify

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

LARGEST_MB = 450


def snapshot(folder):
    return {path: (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


def from_source(*arguments, home):
    command = [sys.executable, "-m", "app", *arguments]
    # The packaged application has no kernels compiled for it, so the same sums must be asked for.
    environment = {**os.environ, "VELOX_HOME": str(home), "MLX_DISABLE_COMPILE": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_frozen_folder_has_no_faults():
    assert verify(BUILT, (str(ROOT), sys.prefix)) == []


def test_frozen_folder_stays_below_size_limit():
    nbytes = sum(path.lstat().st_size for path in BUILT.rglob("*") if path.is_file())
    assert nbytes / 1e6 < LARGEST_MB


def test_licences_cover_every_bundled_module():
    from importlib.metadata import packages_distributions

    import licences
    from verify.contents import python_modules

    owners = packages_distributions()
    listed = {licences.normal(item.metadata["Name"]) for item in licences.bundled_distributions()}
    tops = {name.partition(".")[0] for name in python_modules(BUILT / "velox")}
    foreign = {top for top in tops if top in owners and top not in ("app", "velox_core")}
    unlisted = {
        top for top in foreign if not listed & {licences.normal(name) for name in owners[top]}
    }
    assert unlisted == set()


def test_self_test_passes_and_leaves_the_application_untouched(frozen):
    before = snapshot(frozen.folder)
    done = frozen.run("--self-test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Self-test passed" in done.stdout
    assert snapshot(frozen.folder) == before


def test_ask_answers_as_from_source(frozen, tmp_path):
    arguments = ("ask", "--json", "--temp", "0", "--budget", "64", "--max-tokens", "40")
    prompts = ("What is the capital of France?", "And of Italy?")
    done = frozen.run(*arguments, *prompts)
    assert done.returncode == 0, done.stderr
    starter = str(BUILT / "_internal" / "resources" / "starter" / "SmolLM2-135M-Instruct")
    expected = from_source(*arguments, "--model", starter, *prompts, home=tmp_path)
    told, wanted = (
        [json.loads(line) for line in text.splitlines()] for text in (done.stdout, expected)
    )
    assert [turn["reply"] for turn in told] == [turn["reply"] for turn in wanted]
    assert "Paris" in told[0]["reply"]
    assert told[1]["tokens_kept"] <= 64 < told[1]["tokens_seen"]


def test_all_model_files_import_as_from_source(frozen, tmp_path):
    done = frozen.run("--check-imports")
    assert done.returncode == 0, done.stderr
    told = set(done.stdout.splitlines())
    assert told == set(from_source("--check-imports", home=tmp_path).splitlines())
    assert len([line for line in told if line.startswith("ok ")]) > 900


def test_version_is_the_projects(frozen):
    from bundle_info import version

    assert frozen.run("--version").stdout.strip() == f"velox {version()}"


def test_bad_input_gets_one_sentence(frozen):
    done = frozen.run("ask", "--budget", "3", "--sinks", "4", "Hello")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
