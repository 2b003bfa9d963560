"""The access token for the hub, kept in the system's keychain and nowhere else. Never logged."""

import logging
import sys
from functools import cache

import keyring
from keyring.backend import by_priority, get_all_keyring
from keyring.errors import KeyringError, PasswordDeleteError

from velox_core.errors import VeloxError

logger = logging.getLogger(__name__)

_SERVICE = "Velox"
_USER = "hub-access-token"


class KeychainError(VeloxError):
    """The keychain cannot be used; the token holds until Velox quits."""


class TokenStore:
    """Reads and writes the token; remembers it for this run where there is no keychain."""

    def __init__(self) -> None:
        self._session: str | None = None

    def get(self) -> str | None:
        """The token, or None. A locked or missing keychain counts as none."""
        if self._session is not None:
            return self._session
        try:
            _use_systems_keychain()
            return keyring.get_password(_SERVICE, _USER)
        except (KeyringError, OSError) as error:
            logger.info("no token from the keychain: %s", type(error).__name__)
            return None

    def set(self, token: str) -> None:
        """Keep ``token``.

        Raises:
            KeychainError: If it holds for this run only.
        """
        self._session = token.strip()
        try:
            _use_systems_keychain()
            keyring.set_password(_SERVICE, _USER, self._session)
        except (KeyringError, OSError) as error:
            logger.info("the keychain took no token: %s", type(error).__name__)
            raise KeychainError(
                "The system's keychain cannot be used, so the token is forgotten when Velox quits."
            ) from None

    def clear(self) -> None:
        """Forget the token, in the keychain too."""
        self._session = None
        try:
            _use_systems_keychain()
            keyring.delete_password(_SERVICE, _USER)
        except PasswordDeleteError:
            return
        except (KeyringError, OSError) as error:
            logger.info("no token removed from the keychain: %s", type(error).__name__)


@cache
def _use_systems_keychain() -> None:
    """In the packaged application: take the best keychain that it brings the code for.

    Left alone, keyring would read a file in the user's home that names folders and modules to load
    code from, and an environment variable that does.
    """
    if getattr(sys, "frozen", False):
        keyring.set_keyring(max(get_all_keyring(), key=by_priority))
