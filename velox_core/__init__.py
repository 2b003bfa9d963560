"""The bounded key/value cache for mlx-lm, and the engine that runs conversations on it."""

import importlib

from velox_core.blas import prepare_mlx

# Before any module of ours imports mlx: a BLAS loaded later is not used.
prepare_mlx()

_PUBLIC = {
    "BoundedCaches": "caches",
    "CacheError": "errors",
    "ConfigError": "errors",
    "EvictingKVCache": "cache",
    "KVCacheBuilder": "builder",
    "KVCacheConfig": "config",
    "KVCacheFactory": "builder",
    "ModelError": "errors",
    "SavedCacheError": "errors",
    "TOVAKVCache": "cache",
    "TovaState": "functional",
    "VeloxError": "errors",
    "SavedCaches": "saving",
    "full_tova_fp16_bytes": "functional",
    "init_tova_state": "functional",
    "install_hook": "attention",
    "load_caches": "saving",
    "remove_hook": "attention",
    "save_caches": "saving",
    "tova_fp16_bytes": "functional",
    "tova_get_kv": "functional",
    "tova_update": "functional",
}
"""Public name → module it lives in; imported when first used, so that starting up stays quick."""

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return __all__
