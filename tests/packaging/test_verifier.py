"""The verifier: nothing but the missing CPython in a whole bundle, each fault in a broken one."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.packaging.breakages import BREAKAGES
from verify_app import verify

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]

BUILD_ROOT = ("/builder/velox-checkout",)
# The only thing that cannot be had on Linux.
INCOMPLETE = "the Python library is missing from Contents/Frameworks: nothing can start"


@pytest.fixture
def bundle(assembled):
    """A copy that shares its files with the original, so it must be on the same disk."""
    with tempfile.TemporaryDirectory(dir=assembled.parent) as folder:
        copy = Path(folder) / "Velox.app"
        shutil.copytree(assembled, copy, symlinks=True, copy_function=os.link)
        yield copy


def test_assembled_bundle_lacks_only_python(assembled):
    assert "NOT-A-RELEASE" in assembled.name
    assert verify(assembled, BUILD_ROOT) == [INCOMPLETE]


@pytest.mark.parametrize("name", BREAKAGES)
def test_broken_bundle_is_caught_with_its_own_message(bundle, name):
    break_it, message = BREAKAGES[name]
    break_it(bundle / "Contents")
    assert any(message in fault for fault in verify(bundle, BUILD_ROOT))


def test_missing_bundle_is_one_fault(tmp_path):
    assert verify(tmp_path / "Velox.app") == [f"{tmp_path / 'Velox.app'} is not there"]
