"""The frozen application loads no code that a user, or a model, could have put in its way."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.packaging.frozen import BUILT, ROOT

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

STARTER = BUILT / "_internal" / "resources" / "starter" / "SmolLM2-135M-Instruct"
SPRUNG = "VELOX_TEST_SPRUNG"
# Says where it was run from, and lets the import fail as little as it can.
TRAP = f"""
import os
with open(os.environ["{SPRUNG}"], "a") as file:
    file.write(__file__ + "\\n")
"""
# Modules that Python, the application and its packages look for: some at once, some late, some only
# if they are there.
NAMES = (
    "sitecustomize",
    "usercustomize",
    "app",
    "velox_core",
    "mlx",
    "mlx_lm",
    "json",
)


@pytest.fixture
def home(frozen, tmp_path_factory):
    """A home in which the one who runs the application may write."""
    home = frozen.home / tmp_path_factory.mktemp("home").name
    home.mkdir()
    yield home
    shutil.rmtree(home)


def give(frozen, folder):
    """All below ``folder`` belongs to the one who runs the application."""
    if frozen.world.user is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, frozen.world.user, frozen.world.user, follow_symlinks=False)


def set_traps(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (folder / f"{name}.py").write_text(TRAP)
    (folder / "velox.pth").write_text(f"import os; exec({TRAP!r}, {{'__file__': 'velox.pth'}})")
    return folder


def test_nothing_is_loaded_from_home_working_folder_or_python_variables(frozen, home):
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    set_traps(home)
    set_traps(home / ".local" / "lib" / version / "site-packages")
    set_traps(home / "base" / "lib" / version / "site-packages")
    (home / "qt.conf").write_text("[Paths]\nPlugins = .\n")
    give(frozen, home)
    sprung = home / "sprung"
    variables = {
        SPRUNG: str(sprung),
        "HOME": str(home),
        "VELOX_HOME": str(home / "data"),
        "PYTHONPATH": str(home),
        "PYTHONHOME": str(home / "base"),
        "PYTHONUSERBASE": str(home / ".local"),
        "PYTHONSTARTUP": str(home / "sitecustomize.py"),
        "PYTHONINSPECT": "1",
        "PYTHONBREAKPOINT": "sitecustomize",
    }
    done = frozen.run("ask", "--max-tokens", "2", "Hello", cwd=home, **variables)
    assert done.returncode == 0, done.stderr
    assert not sprung.exists(), sprung.read_text()
    # The same traps, for a Python that looks there.
    subprocess.run(
        [sys.executable, "-c", ""], env={SPRUNG: str(sprung), "PYTHONPATH": str(home)}, check=True
    )
    assert str(home / "sitecustomize.py") in sprung.read_text().splitlines()


# Ways in which a model names code of its own.
WAYS = [
    ("config.json", {"model_file": "evil.py"}),
    ("config.json", {"auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}),
    ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.Slow", "evil.Fast"]}}),
    ("tokenizer_config.json", {"tool_parser_type": "evil"}),
]


def write_evil_model(home, file, more):
    model = home / "Evil 1B"
    shutil.copytree(STARTER, model)
    (model / "velox-starter.json").unlink()
    set_traps(model)
    (model / "evil.py").write_text(TRAP)
    told = json.loads((model / file).read_text())
    (model / file).write_text(json.dumps({**told, **more}))
    return model


@pytest.mark.parametrize(("file", "more"), WAYS)
def test_code_in_a_model_folder_is_never_run(frozen, home, file, more):
    model = write_evil_model(home, file, more)
    give(frozen, home)
    sprung = home / "sprung"
    variables = {SPRUNG: str(sprung), "HOME": str(home), "VELOX_HOME": str(home / "data")}
    done = frozen.run(
        "ask", "--model", str(model), "--max-tokens", "2", "Hi", cwd=model, **variables
    )
    assert not sprung.exists(), sprung.read_text()
    # Either it runs without the code, or one sentence says why not.
    assert done.returncode == 0 or (
        done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1
    ), done.stderr


TRUSTING = """
import sys
import velox_core.engine.engine
from mlx_lm.utils import load
load(sys.argv[1], lazy=True, trust_remote_code=True, tokenizer_config={"trust_remote_code": True})
"""


@pytest.mark.parametrize(("file", "more"), [WAYS[0], WAYS[2]])
def test_same_code_would_run_where_models_are_trusted(home, file, more):
    model = write_evil_model(home, file, more)
    sprung = home / "sprung"
    environment = {**os.environ, SPRUNG: str(sprung), "HF_HOME": str(home / "hub")}
    subprocess.run(
        [sys.executable, "-c", TRUSTING, str(model)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert "evil.py" in sprung.read_text()


def test_translocated_application_works_and_stays_untouched(frozen):
    with frozen.translocated() as moved:
        assert moved.folder != frozen.folder
        done = moved.run("--self-test")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Self-test passed" in done.stdout
