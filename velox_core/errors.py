"""What can go wrong, said in one plain sentence each.

The message of every error here is fit to be shown to a person as it is.
"""


class VeloxError(Exception):
    """Base of all errors that Velox raises on purpose."""


class ConfigError(VeloxError, ValueError):
    """A setting is out of range; the message names the field and what is allowed."""


class CacheError(VeloxError, RuntimeError):
    """A KV cache was asked for something it cannot do."""


class ModelError(VeloxError):
    """A model cannot be found, read or used."""


class SavedCacheError(VeloxError):
    """A saved KV cache cannot be read, or belongs to another model or format."""
