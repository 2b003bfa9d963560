"""Progress on the terminal, results as JSON, and the tables that the documents show."""

import json
import platform
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

Told = Callable[..., None]


@contextmanager
def progress(title: str, total: int) -> Iterator[Told]:
    """Show ``title`` with a count; yields a function to call with the steps done (default 1)."""
    done = 0
    is_terminal = sys.stderr.isatty()

    def told(steps: int = 1) -> None:
        nonlocal done
        done += steps
        if is_terminal:
            print(f"\r{title}: {done}/{total}", end="", file=sys.stderr, flush=True)

    yield told
    print(f"{chr(13) if is_terminal else ''}{title}: {done}/{total}", file=sys.stderr, flush=True)


def note(text: str) -> None:
    """Show an interim result: a long benchmark that is stopped has not been for nothing."""
    print(text, file=sys.stderr, flush=True)


def write_result(folder: Path, name: str, result: dict[str, Any]) -> Path:
    """Write one benchmark's result with the versions and the kind of machine it ran on."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = {
        "system": platform.system(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "mlx": version("mlx"),
        "mlx_lm": version("mlx-lm"),
    }
    path = folder / f"{name}.json"
    content = {"benchmark": name, "machine": machine, **result}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def read_result(folder: Path, name: str) -> dict[str, Any] | None:
    """The result written last, or None."""
    path = folder / f"{name}.json"
    if not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def fill_table(document: Path, name: str, table: str) -> bool:
    """Replace what stands between ``<!-- bench:NAME -->`` and ``<!-- /bench:NAME -->``.

    Returns:
        Whether the document has that place.
    """
    text = document.read_text(encoding="utf-8")
    place = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- /bench:{name} -->)", re.DOTALL)
    if not place.search(text):
        return False
    filled = place.sub(lambda m: f"{m[1]}\n{table}\n\n{m[2]}", text)
    if filled != text:
        document.write_text(filled, encoding="utf-8")
    return True
