"""``python -m app.settings`` prints the README's table of settings; ``--write FILE`` puts it in."""

import argparse
import sys
from pathlib import Path

from app.settings.markdown import BEGIN, END, settings_table


def main(arguments: list[str] | None = None) -> int:
    """Print the table, or write it between the two marks in a file."""
    parser = argparse.ArgumentParser(
        prog="python -m app.settings", description="The settings table"
    )
    parser.add_argument("--write", metavar="FILE", type=Path, help="put the table into this file")
    target = parser.parse_args(arguments).write
    if target is None:
        sys.stdout.write(settings_table() + "\n")
        return 0
    head, _begin, rest = target.read_text(encoding="utf-8").partition(BEGIN)
    _old, end, tail = rest.partition(END)
    if not end:
        parser.error(f"{target} has no marks for the table")
    target.write_text(f"{head}{BEGIN}\n{settings_table()}\n{END}{tail}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
