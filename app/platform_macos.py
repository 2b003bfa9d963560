"""What only a Mac has, behind one small interface; elsewhere the twin does nothing.

On macOS the Objective-C runtime is called through ctypes: two messages do not justify a
dependency on a whole bridge.
"""

import ctypes
import logging
import sys
from ctypes import c_char_p, c_long, c_uint64, c_void_p
from typing import Any, Protocol

logger = logging.getLogger(__name__)

# NSActivityUserInitiated without blocking idle sleep: replies must not be throttled (App Nap).
_USER_INITIATED_ALLOWING_SLEEP = 0x00FFFFFF & ~(1 << 20)


class Platform(Protocol):
    """What the application asks of the system it runs on."""

    def begin_activity(self, reason: str) -> None:
        """Ask not to be throttled while a reply is made, hidden window or not."""

    def end_activity(self) -> None:
        """Take that back."""

    def request_attention(self) -> None:
        """Bounce the Dock icon once."""


class NullPlatform:
    """Does nothing: there is no Dock and no App Nap here."""

    def begin_activity(self, reason: str) -> None:
        """Do nothing."""

    def end_activity(self) -> None:
        """Do nothing."""

    def request_attention(self) -> None:
        """Do nothing."""


class MacPlatform:
    """Talks to NSProcessInfo and NSApplication.

    Raises:
        OSError: The Objective-C runtime cannot be loaded.
    """

    def __init__(self) -> None:
        self._objc = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
        self._objc.objc_getClass.restype = c_void_p
        self._objc.objc_getClass.argtypes = [c_char_p]
        self._objc.sel_registerName.restype = c_void_p
        self._objc.sel_registerName.argtypes = [c_char_p]
        self._activity: int | None = None

    def begin_activity(self, reason: str) -> None:
        """Hold an NSProcessInfo activity until :meth:`end_activity`."""
        if self._activity is not None:
            return
        text = self._send(
            self._class("NSString"), "stringWithUTF8String:", reason.encode(), kinds=[c_char_p]
        )
        token = self._send(
            self._process_info(),
            "beginActivityWithOptions:reason:",
            _USER_INITIATED_ALLOWING_SLEEP,
            text,
            kinds=[c_uint64, c_void_p],
        )
        self._activity = self._send(token, "retain") if token else None

    def end_activity(self) -> None:
        """End the activity."""
        if self._activity is None:
            return
        token, self._activity = self._activity, None
        self._send(self._process_info(), "endActivity:", token, kinds=[c_void_p])
        self._send(token, "release")

    def request_attention(self) -> None:
        """Bounce the Dock icon once (NSInformationalRequest)."""
        application = self._send(self._class("NSApplication"), "sharedApplication")
        self._send(application, "requestUserAttention:", 10, kinds=[c_long])

    def _process_info(self) -> int:
        return self._send(self._class("NSProcessInfo"), "processInfo")

    def _class(self, name: str) -> int:
        return int(self._objc.objc_getClass(name.encode()))

    def _send(
        self, receiver: int, selector: str, *values: object, kinds: list[Any] | None = None
    ) -> int:
        kinds = kinds or []
        prototype = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, *kinds)
        message = prototype(("objc_msgSend", self._objc))
        return message(receiver, self._objc.sel_registerName(selector.encode()), *values) or 0


def make_platform() -> Platform:
    """Return the Mac's interface on a Mac, its twin elsewhere or where the runtime is missing."""
    if sys.platform == "darwin":
        try:
            return MacPlatform()
        except OSError:
            logger.exception("the Objective-C runtime cannot be reached")
    return NullPlatform()
