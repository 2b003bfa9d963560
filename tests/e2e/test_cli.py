"""Arguments of ``velox``: help, and what is said about bad input."""

import sys

import pytest

from app import cli
from tests.e2e.velox import velox
from tests.tiny_folder import make_tiny_folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "--budget", "4", "--sinks", "4", "hi"], "below the budget of 4"),
        (["ask", "--budget", "0", "hi"], "budget must be 1"),
        (["ask", "--sinks", "-1", "hi"], "sinks must be"),
        (["ask", "--budget", "many", "hi"], "whole number"),
        (["ask", "--temp", "warm", "hi"], "not a number"),
        (["ask", "--temp", "nan", "hi"], "temperature"),
        (["ask", "--max-tokens", "0", "hi"], "1 token or more"),
        (["ask", "--seed", "-1", "hi"], "seed"),
        (["ask", " "], "empty"),
        (["ask"], "PROMPT"),
        (["ask", "--model", "no/such-model", "hi"], "no model"),
        (["dance"], "dance"),
        (["--colour"], "--colour"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(capsys, arguments, said) -> None:
    try:
        status = cli.run(arguments)
    except SystemExit as exit_:
        status = exit_.code
    output = capsys.readouterr()
    assert status == 2
    assert output.out == ""
    assert said in output.err
    assert len(output.err.strip().splitlines()) == 1


def test_help_names_every_option(capsys) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.run(["ask", "--help"])
    assert exit_.value.code == 0
    text = capsys.readouterr().out
    for option in ("--model", "--budget", "--sinks", "--full", "--seed", "--temp", "--json"):
        assert option in text


def test_help_and_bad_arguments_import_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['velox', 'ask', '--temp', 'x', 'hi']\n"
        "from app.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('mlx', 'mlx_lm', 'PySide6') if name in sys.modules])"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "damage", ["empty folder", "cut weights", "code of its own", "no tokenizer"]
)
def test_broken_folder_gets_one_sentence_and_status_2(tmp_path, damage) -> None:
    folder = tmp_path / "model"
    if damage == "empty folder":
        folder.mkdir()
    else:
        extra = {"model_file": "evil.py"} if damage == "code of its own" else None
        make_tiny_folder(folder, config=extra)
    if damage == "cut weights":
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    if damage == "no tokenizer":
        (folder / "tokenizer.json").unlink()
        (folder / "tokenizer_config.json").unlink()
    done = velox("ask", "--model", str(folder), "hi")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_models_are_listed_with_broken_ones_and_why(tmp_path, velox_home) -> None:
    models = velox_home / "data" / "models"
    make_tiny_folder(models / "good")
    broken = make_tiny_folder(models / "broken") / "model.safetensors"
    broken.write_bytes(broken.read_bytes()[:-100])
    done = velox("models")
    assert (done.returncode, done.stderr) == (0, "")
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "bounded" in lines["good"]
    assert "4,096" in lines["good"]
    assert "cannot be used" in lines["broken:"]


def test_models_are_found_by_name(velox_home) -> None:
    make_tiny_folder(velox_home / "data" / "models" / "good")
    done = velox("ask", "--json", "--model", "good", "--max-tokens", "3", "hi")
    assert (done.returncode, done.stderr) == (0, "")


def test_very_long_prompt_is_refused_in_one_sentence(tmp_path) -> None:
    folder = make_tiny_folder(tmp_path / "model")
    done = velox("ask", "--full", "--model", str(folder), "-", stdin="x" * 200_000)
    assert done.returncode == 2
    assert "tokens" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
