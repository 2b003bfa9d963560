"""Where Velox keeps its files. Nothing is created here; who writes makes the folder.

``VELOX_HOME`` puts everything below one folder, for tests and portable use.
"""

import os
from pathlib import Path

import platformdirs

APP_NAME = "Velox"
HOME_VARIABLE = "VELOX_HOME"


def _folder(portable_name: str, usual: str) -> Path:
    home = os.environ.get(HOME_VARIABLE, "").strip()
    return Path(home).expanduser().absolute() / portable_name if home else Path(usual)


def data_dir() -> Path:
    """The folder of chats and models."""
    return _folder("data", platformdirs.user_data_dir(APP_NAME, appauthor=False))


def cache_dir() -> Path:
    """The folder of what can be made again."""
    return _folder("cache", platformdirs.user_cache_dir(APP_NAME, appauthor=False))


def config_dir() -> Path:
    """The folder of settings."""
    return _folder("config", platformdirs.user_config_dir(APP_NAME, appauthor=False))


def log_dir() -> Path:
    """The folder of log files."""
    return _folder("log", platformdirs.user_log_dir(APP_NAME, appauthor=False))


def models_dir() -> Path:
    """The folder of models that Velox itself fetched, one folder a model."""
    return data_dir() / "models"


def resources_dir() -> Path:
    """The data files that come with Velox, in a checkout and in the packaged application alike."""
    return Path(__file__).resolve().parent.parent / "resources"
