"""Imports everything that a model folder can name, and tells what does not import.

mlx_lm and transformers import model files, configurations and tokenizers by name, which freezing
an application cannot see. The packaged application must import exactly what a checkout imports.
"""

import contextlib
import importlib
import io
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial

from velox_core.blas import import_mlx_lm

_BY_NAME = ("mlx_lm.models", "mlx_lm.tool_parsers", "mlx_lm.chat_templates")


def check_imports() -> dict[str, str]:
    """Import all of it, once.

    Returns:
        For each name ``"ok"`` or the kind of error, e.g. ``{"mlx_lm.models.llama": "ok"}``.
    """
    import_mlx_lm()
    found = {name: _outcome(partial(importlib.import_module, name)) for name in _modules()}
    transformers = importlib.import_module("transformers")
    auto = importlib.import_module("transformers.models.auto.tokenization_auto")
    configurations = importlib.import_module("transformers.models.auto.configuration_auto")
    for name in sorted(set(configurations.CONFIG_MAPPING_NAMES.values())):
        found[f"configuration {name}"] = _outcome(partial(getattr, transformers, name))
    for name in sorted({name for name in auto.TOKENIZER_MAPPING_NAMES.values() if name}):
        found[f"tokenizer {name}"] = _outcome(partial(getattr, transformers, name))
    return found


def _modules() -> Iterator[str]:
    for package_name in _BY_NAME:
        package = importlib.import_module(package_name)
        for module in pkgutil.walk_packages(package.__path__, f"{package_name}."):
            yield module.name


def _outcome(load: Callable[[], object]) -> str:
    # One of mlx_lm's model files prints and leaves the process when a package is missing.
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            load()
    except (Exception, SystemExit) as error:
        return type(error).__name__
    return "ok"
