"""mlx_lm: model files, tool parsers and chat templates are imported by name."""

from pathlib import Path

from PyInstaller.utils.hooks import get_package_paths

_package = Path(get_package_paths("mlx_lm")[1])
_BY_NAME = ("models", "tool_parsers", "chat_templates", "processors", "kernels", "quant", "tuner")

# From the file system: importing them to look would run every model file, and one of them exits.
hiddenimports = [
    ".".join(path.relative_to(_package.parent).with_suffix("").parts)
    for folder in _BY_NAME
    for path in sorted((_package / folder).rglob("*.py"))
    if path.name != "__init__.py"
]
excludedimports = ["datasets", "wandb", "swanlab"]
