"""docs/library.md keeps up with the code."""

import re
from pathlib import Path

import pytest

import velox_core
from velox_core import BoundedCaches, EvictingKVCache, KVCacheConfig
from velox_core.policies import POLICIES

DOCS = (Path(__file__).parents[2] / "docs" / "library.md").read_text()


@pytest.mark.parametrize("name", velox_core.__all__)
def test_every_public_name_can_be_imported_and_is_documented(name):
    assert getattr(velox_core, name) is not None
    assert re.search(rf"`[^`]*\b{name}\b[^`]*`", DOCS)
    assert getattr(velox_core, name).__doc__


@pytest.mark.parametrize("kind", [EvictingKVCache, BoundedCaches])
def test_every_public_member_of_caches_is_documented(kind):
    inherited = set(dir(list)) | {"policy", "guards", "spans", "rotation", "attend", "wants_query"}
    members = {name for name in vars(kind) if not name.startswith("_")} - inherited
    assert {name for name in members if not re.search(rf"`[^`]*\b{name}\b", DOCS)} == set()


def test_defaults_and_methods_are_documented():
    config = KVCacheConfig()
    for field in config.__dataclass_fields__:
        value = getattr(config, field)
        shown = f'"{value}"' if isinstance(value, str) else value
        assert f"{field}={shown}" in DOCS
    assert all(f'"{method}"' in DOCS for method in POLICIES)


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = velox_core.nonsense
