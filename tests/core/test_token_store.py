import logging
import os
import subprocess
import sys

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring

from velox_core.models.token_store import KeychainError, TokenStore


class MemoryKeyring(KeyringBackend):
    """A keychain that forgets everything at the end of the test."""

    priority = 1

    def __init__(self):
        self.entries = {}

    def get_password(self, service, username):
        return self.entries.get((service, username))

    def set_password(self, service, username, password):
        self.entries[service, username] = password

    def delete_password(self, service, username):
        if self.entries.pop((service, username), None) is None:
            raise keyring.errors.PasswordDeleteError("none")


@pytest.fixture
def use_keyring():
    usual = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(usual)


def test_token_lies_in_the_keychain_and_nowhere_else(use_keyring, velox_home, caplog):
    caplog.set_level(logging.DEBUG)
    keychain = MemoryKeyring()
    use_keyring(keychain)
    TokenStore().set(" hf_secret\n")
    assert list(keychain.entries.values()) == ["hf_secret"]
    assert TokenStore().get() == "hf_secret"
    assert [path for path in velox_home.rglob("*") if path.is_file()] == []
    store = TokenStore()
    store.clear()
    store.clear()
    assert store.get() is None
    assert "hf_secret" not in caplog.text


def test_without_a_keychain_the_token_holds_for_this_run(use_keyring, caplog):
    caplog.set_level(logging.DEBUG)
    use_keyring(NoKeyring())
    store = TokenStore()
    assert store.get() is None
    with pytest.raises(KeychainError, match="is forgotten when Velox quits"):
        store.set("hf_secret")
    assert store.get() == "hf_secret"
    assert TokenStore().get() is None
    store.clear()
    assert store.get() is None
    assert "hf_secret" not in caplog.text


READ_TOKEN = """
import os, sys
if os.environ["TEST_FROZEN"]:
    sys.frozen = True
from velox_core.models.token_store import TokenStore
print(TokenStore().get(), "trap" in sys.modules)
"""
TRAP = """
from keyring.backend import KeyringBackend
class Keyring(KeyringBackend):
    priority = 99
    def get_password(self, service, username):
        return "trapped"
    def set_password(self, service, username, password): pass
"""


@pytest.mark.parametrize("way", ["file", "variable"])
@pytest.mark.parametrize(("frozen", "told"), [("yes", "None False"), ("", "trapped True")])
def test_packaged_application_loads_no_keychain_from_home(tmp_path, way, frozen, told):
    (tmp_path / "trap.py").write_text(TRAP)
    variables = {"XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path), "TEST_FROZEN": frozen}
    if way == "file":
        config = tmp_path / "python_keyring" / "keyringrc.cfg"
        config.parent.mkdir()
        config.write_text(f"[backend]\ndefault-keyring=trap.Keyring\nkeyring-path={tmp_path}\n")
    else:
        variables |= {"PYTHON_KEYRING_BACKEND": "trap.Keyring", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", READ_TOKEN],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == told
