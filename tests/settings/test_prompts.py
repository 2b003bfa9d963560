import json
from pathlib import Path

import pytest

from app.settings.prompts import Prompt, PromptLibrary
from app.settings.setting import SettingError
from velox_core.paths import resources_dir

BUILT_IN = resources_dir() / "prompts.json"


@pytest.fixture
def library(tmp_path: Path) -> PromptLibrary:
    return PromptLibrary(BUILT_IN, tmp_path / "config" / "prompts.json")


def test_prompts_that_come_along_are_well_formed(library) -> None:
    prompts = library.prompts()
    assert len(prompts) >= 5
    assert len({prompt.name for prompt in prompts}) == len(prompts)
    assert all(prompt.text.strip() and not prompt.is_own for prompt in prompts)
    assert len(prompts) == len(json.loads(BUILT_IN.read_text(encoding="utf-8")))


def test_own_prompts_are_kept_replaced_and_deleted(library, tmp_path) -> None:
    library.save("zeta", "z")
    library.save("  Alpha  one ", "first")
    library.save("Alpha one", "second")
    again = PromptLibrary(BUILT_IN, tmp_path / "config" / "prompts.json")
    assert again.prompts()[:2] == (
        Prompt("Alpha one", "second", True),
        Prompt("zeta", "z", True),
    )
    again.delete("zeta")
    again.delete("never there")
    assert [prompt.name for prompt in again.prompts() if prompt.is_own] == ["Alpha one"]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("", "x", "needs a name"),
        ("n" * 81, "x", "needs a name"),
        ("name", " \n", "needs a text"),
        ("name", "x" * 100_001, "needs a text"),
        ("Plain assistant", "x", "comes with Velox"),
    ],
)
def test_prompt_that_cannot_be_kept_is_refused(library, name, text, sentence) -> None:
    with pytest.raises(SettingError, match=sentence):
        library.save(name, text)


def test_bad_file_is_survived(tmp_path, caplog) -> None:
    file = tmp_path / "prompts.json"
    file.write_text('[{"name": 1, "text": "x"}, 5, {"name": "ok", "text": "y"}]')
    own = [prompt for prompt in PromptLibrary(BUILT_IN, file).prompts() if prompt.is_own]
    assert own == [Prompt("ok", "y", True)]
    assert "ignored" in caplog.text


def test_folder_that_cannot_be_written_is_said(tmp_path) -> None:
    (tmp_path / "config").write_text("in the way")
    library = PromptLibrary(BUILT_IN, tmp_path / "config" / "prompts.json")
    with pytest.raises(SettingError, match="cannot be saved"):
        library.save("name", "text")
    assert not any(prompt.is_own for prompt in library.prompts())
