"""What only a Mac has does nothing elsewhere, with the same interface."""

import sys

import pytest

from app.platform_macos import MacPlatform, NullPlatform, make_platform


@pytest.mark.skipif(sys.platform == "darwin", reason="a Mac has the real one")
def test_elsewhere_the_twin_takes_every_call():
    platform = make_platform()
    assert isinstance(platform, NullPlatform)
    platform.begin_activity("Making a reply")
    platform.request_attention()
    platform.end_activity()


@pytest.mark.skipif(sys.platform != "darwin", reason="needs the Objective-C runtime")
def test_on_a_mac_an_activity_begins_once_and_ends_once():
    platform = make_platform()
    assert isinstance(platform, MacPlatform)
    for _ in range(2):
        platform.begin_activity("Making a reply")
    for _ in range(2):
        platform.end_activity()


def test_both_have_the_same_interface():
    def public(kind):
        return {name for name in vars(kind) if not name.startswith("_")}

    assert public(MacPlatform) == public(NullPlatform)
