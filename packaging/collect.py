"""What goes into the bundle and what stays out; `velox.spec` asks here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution
from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

import bundle_info
import licences
import release_info
from bundle_info import ROOT

Entry = tuple[str, str, str]  # PyInstaller's table of contents: destination, source, kind

# Never imported by Velox; some are optional for a package that it does use.
EXCLUDED = [
    "IPython",
    "PIL",
    "_pytest",
    "certifi",
    "charset_normalizer",
    "datasets",
    "gguf",
    "hypothesis",
    "jax",
    "lib2to3",
    "matplotlib",
    "mypy",
    "numpy.f2py",
    "pandas",
    "pip",
    "pyarrow",
    "pytest",
    "requests",
    "scipy",
    "setuptools",
    "tensorflow",
    "tkinter",
    "torch",
    "urllib3",
    "velox_core.bench",
    "wheel",
    *(f"PySide6.Qt{name}" for name in ("Qml", "Quick", "Sql", "Test", "OpenGL", "PrintSupport")),
]
# Parts of transformers that need torch: its neural networks, picture and sound handling, training.
_TRANSFORMERS_UNUSED = (
    "models/*/modeling_*.py",
    "models/*/modular_*.py",
    "models/*/image_processing_*.py",
    "models/*/video_processing_*.py",
    "models/*/feature_extraction_*.py",
    "models/*/processing_*.py",
    "models/*/convert_*.py",
    "trainer*.py",
    "training_args*.py",
    "testing_utils.py",
)
_TRANSFORMERS_UNUSED_FOLDERS = ("cli", "exporters", "pipelines", "distributed", "loss")
# Qt plugins for screens and input devices that a desktop does not have, and for unused formats.
_QT_PLUGINS_KEPT = {
    "platforms": ("qcocoa", "qoffscreen", "qxcb", "qminimal"),
    "imageformats": ("qsvg", "qjpeg", "qgif", "qico", "qicns", "qwebp"),
    "iconengines": ("qsvgicon",),
    "styles": ("qmacstyle",),
    "platforminputcontexts": ("composeplatforminputcontext", "ibusplatforminputcontext"),
    "platformthemes": ("qxdgdesktopportal",),
    "xcbglintegrations": ("qxcb-egl-integration", "qxcb-glx-integration"),
}
_DROPPED_LIBRARIES = (
    "libQt6Qml",
    "libQt6Quick",
    "libQt6Wayland",
    "libQt6VirtualKeyboard",
    "libQt6Pdf",
)


def transformers_excluded() -> list[str]:
    """Module names of the parts of transformers that stay out."""
    package = Path(get_package_paths("transformers")[1])
    unused = [path for pattern in _TRANSFORMERS_UNUSED for path in package.glob(pattern)]
    names = [".".join(path.relative_to(package.parent).with_suffix("").parts) for path in unused]
    kept = {"transformers.models.auto"}
    folders = [f"transformers.{folder}" for folder in _TRANSFORMERS_UNUSED_FOLDERS]
    return [name for name in names if name.rpartition(".")[0] not in kept] + folders


def own_modules() -> list[str]:
    """Every module of the application and the library, whoever imports it."""
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in ("app", "velox_core")
        for path in sorted((ROOT / package).rglob("*.py"))
        if "bench" not in path.parts
    ]


def data_files(work: Path, starter: Path) -> list[tuple[str, str]]:
    """Our own data, the starter model, package metadata and the licences, as (source, folder).

    Args:
        work: A folder for files that are made here.
        starter: The folder of the converted starter model.
    """
    collected = [
        (str(path), path.parent.relative_to(ROOT).as_posix())
        for folder in ("resources", "app", "velox_core")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix not in (".py", ".pyc") and not path.name.startswith(".")
    ]
    collected += [
        (str(path), f"resources/starter/{starter.name}") for path in sorted(starter.iterdir())
    ]
    packages = licences.bundled_distributions()
    collected += metadata_files(packages, work / "metadata")
    text = work / licences.FILE_NAME
    text.write_text(licences.collect(starter, packages), encoding="utf-8")
    collected += [(str(text), "resources"), (str(ROOT / "LICENSE"), "resources")]
    release = release_info.write_release(work)
    return [*collected, (str(release), "resources")] if release else collected


def metadata_files(packages: Iterable[Distribution], folder: Path) -> list[tuple[str, str]]:
    """Names, versions and entry points of the packages, copied to ``folder``, and our own.

    The lists of their files stay out: they would only tell what is no longer there.
    """
    own = folder / f"velox-{bundle_info.version()}.dist-info"
    own.mkdir(parents=True, exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: velox\nVersion: {bundle_info.version()}\n"
    (own / "METADATA").write_text(text, encoding="utf-8")
    entries = [(str(own / "METADATA"), own.name)]
    for package in packages:
        source = Path(str(package.locate_file("")))
        name = f"{package.metadata['Name'].replace('-', '_')}-{package.version}.dist-info"
        kept = folder / name
        kept.mkdir(parents=True, exist_ok=True)
        info = next(
            Path(str(package.locate_file(file))).parent
            for file in package.files or []
            if file.name == "METADATA" and file.parent.suffix == ".dist-info"
        )
        for file_name in ("METADATA", "entry_points.txt"):
            if (source / info / file_name).is_file():
                shutil.copyfile(source / info / file_name, kept / file_name)
                entries.append((str(kept / file_name), name))
    return entries


def openblas(work: Path) -> list[tuple[str, str]]:
    """On Linux: the fast BLAS, and mlx's Fortran library under the name that it asks for."""
    if not sys.platform.startswith("linux"):
        return []
    packages = Path(get_package_paths("numpy")[0])
    fortran = next(packages.glob("mlx_cpu.libs/libgfortran-*.so.5*"))
    named = work / "libgfortran.so.5"
    shutil.copyfile(fortran, named)
    library = (packages / "cmeel.prefix" / "lib" / "libopenblas.so.0").resolve()
    plain = work / "libopenblas.so.0"
    shutil.copyfile(library, plain)
    return [(str(plain), "cmeel.prefix/lib"), (str(named), ".")]


def kept(entries: Iterable[Entry]) -> list[Entry]:
    """The table of contents without what is not needed."""
    rules: tuple[Callable[[str], bool], ...] = (_is_unused_plugin, _is_unused_library, _is_excess)
    return [entry for entry in entries if not any(rule(entry[0]) for rule in rules)]


def without_symbols(entries: Iterable[Entry], work: Path) -> list[Entry]:
    """The table with Python's library stripped: on Linux its debugging symbols are 17 MB."""
    result = []
    for destination, source, kind in entries:
        if sys.platform.startswith("linux") and Path(source).name.startswith("libpython3"):
            stripped = work / Path(source).name
            subprocess.run(["strip", "--strip-debug", "-o", str(stripped), source], check=True)
            source = str(stripped)
        result.append((destination, source, kind))
    return result


def _is_unused_plugin(destination: str) -> bool:
    parts = Path(destination).parts
    if "plugins" not in parts or "PySide6" not in parts:
        return False
    kind, name = parts[parts.index("plugins") + 1], parts[-1].removeprefix("lib").partition(".")[0]
    return name not in _QT_PLUGINS_KEPT.get(kind, ())


def _is_unused_library(destination: str) -> bool:
    return os.path.basename(destination).startswith(_DROPPED_LIBRARIES)  # noqa: PTH119


def _is_excess(destination: str) -> bool:
    """Sources, typing files and repeated metadata that nothing reads at run time."""
    path = Path(destination)
    if path.suffix in (".pyi", ".typed") or path.name in ("RECORD", "INSTALLER", "direct_url.json"):
        return True
    if ".dist-info" in destination:
        return path.name not in ("METADATA", "entry_points.txt")
    if path.name.startswith("libopenblas.so") and "cmeel.prefix" not in path.parts:
        return True
    return "translations" in path.parts and not path.name.startswith("qtbase_")
