from pathlib import Path

import pytest

from app.settings.__main__ import main
from app.settings.markdown import BEGIN, END, settings_table
from app.settings.table import SETTINGS

README = Path(__file__).resolve().parents[2] / "README.md"


def test_readme_has_the_settings_table_of_this_version() -> None:
    _head, _begin, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    table, end, _tail = rest.partition(END)
    assert end, "README.md has lost the marks around its settings table"
    assert table.strip() == settings_table(), "run: python -m app.settings --write README.md"


def test_table_names_every_setting_that_the_window_shows(capsys) -> None:
    assert main([]) == 0
    printed = capsys.readouterr().out
    for setting in SETTINGS:
        assert (f"`{setting.key}`" in printed) is not setting.hidden


def test_write_replaces_only_what_is_between_the_marks(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    file.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    main(["--write", str(file)])
    assert file.read_text(encoding="utf-8") == (
        f"before\n{BEGIN}\n{settings_table()}\n{END}\nafter\n"
    )
    file.write_text("no marks", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--write", str(file)])
