"""What a release carries and what it must not: the starter model, licences, no left-overs."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from PyInstaller.archive.readers import ArchiveReadError, CArchiveReader, NotAnArchiveError

from licences import FILE_NAME, normal
from verify.bundle import Bundle
from verify.starter import EXPECTED, starter_hashes

# Megabytes on the disk, with the starter model. Linux brings a CPU mlx, a Mac the GPU kernels.
LARGEST_MB = {"app": 650, "folder": 450}

_TEST_DATA = re.compile(
    r"(^|/)(tests?|testing_data|conftest\.py|test_[^/]*\.py|[^/]*_test\.py|\.git|\.pytest_cache"
    r"|\.hypothesis|\.venv|\.env)(/|$)"
)
# Python modules that nothing in the application needs; one of them inside means a wrong hook.
_UNWANTED = re.compile(
    r"^(pytest|_pytest|hypothesis|mypy|ruff|xdist|tests|torch|tensorflow|jax|scipy|pandas|matplotlib"
    r"|PIL|pyarrow|IPython|tkinter|PyInstaller|macholib|apple_platform|gguf)(\.|$)"
    # jinja2.tests is no test: it holds the template language's "is" words.
    r"|^(?!jinja2\.).*\.tests?(\.|$)"
)
_NEEDED_MODULES = ("app.cli", "velox_core", "mlx_lm.models.llama", "mlx_lm.generate")


def check_size(bundle: Bundle) -> Iterator[str]:
    """Nothing heavy slipped in."""
    size_mb = sum(path.lstat().st_size for path in bundle.files) / 1e6
    limit = LARGEST_MB["app" if bundle.is_app else "folder"]
    if size_mb > limit:
        yield f"the bundle has {size_mb:.0f} MB, more than {limit}"


def check_starter(bundle: Bundle) -> Iterator[str]:
    """The starter model is inside and is bit for bit the model that was measured."""
    folder = bundle.resources / "starter" / "SmolLM2-135M-Instruct"
    for name, expected in EXPECTED.items():
        path = folder / name
        if not path.is_file():
            yield f"the starter model's {name} is missing"
        elif starter_hashes(path) != expected:
            yield f"the starter model's {name} is not the one that was converted"
    for name in ("LICENSE", "NOTICE", "velox-starter.json"):
        if not (folder / name).is_file():
            yield f"the starter model's {name} is missing"


def check_licences(bundle: Bundle) -> Iterator[str]:
    """One file holds the licence of everything that is inside."""
    path = bundle.resources / FILE_NAME
    if not path.is_file():
        yield f"{FILE_NAME} is missing from the resources"
        return
    titles = set(re.findall(r"^=== (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    inside = {normal(info.name.split("-")[0]) for info in bundle.library.glob("*.dist-info")}
    for name in sorted({*inside - {"velox"}, "python", "qt", "smollm2-135m-instruct"} - titles):
        yield f"{FILE_NAME} has no entry for {name}"


def check_build_paths(bundle: Bundle) -> Iterator[str]:
    """No file names a folder of the machine that built it."""
    roots = [root.encode() for root in bundle.build_roots]
    for path in bundle.files:
        data = path.read_bytes() if roots else b""
        for root in roots:
            if root in data:
                yield f"{bundle.name(path)} names the building machine's folder {root.decode()}"


def check_left_overs(bundle: Bundle) -> Iterator[str]:
    """No tests, no repository, no caches and no compiled twins."""
    for path in bundle.files:
        name = path.relative_to(bundle.root).as_posix()
        if _TEST_DATA.search(name):
            yield f"{name} is test data or a left-over"


def check_modules(bundle: Bundle) -> Iterator[str]:
    """The program's archive holds our code and none of the development tools."""
    try:
        modules = python_modules(bundle.executable)
    except (OSError, NotAnArchiveError, ArchiveReadError) as error:
        yield f"the program holds no Python code: {error}"
        return
    for name in _NEEDED_MODULES:
        if name not in modules:
            yield f"the Python module {name} is missing from the program"
    for name in sorted(modules):
        if _UNWANTED.search(name):
            yield f"the Python module {name} does not belong into the program"


@cache
def python_modules(program: Path) -> frozenset[str]:
    """The names of the Python modules in the frozen ``program``."""
    archive = CArchiveReader(str(program))
    return frozenset(
        name
        for embedded in archive.toc
        if embedded.endswith(".pyz")
        for name in archive.open_embedded_archive(embedded).toc
    )
