"""transformers: only tokenizers and configurations are used; the package reads its own sources."""

from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_package = Path(get_package_paths("transformers")[1])

hiddenimports = [
    ".".join(path.relative_to(_package.parent).with_suffix("").parts)
    for pattern in ("configuration_*.py", "tokenization_*.py", "auto/*.py")
    for path in sorted((_package / "models").rglob(pattern))
    if path.name != "__init__.py"
]
# Its lazy import table is made at run time from the .py files.
module_collection_mode = "pyz+py"
