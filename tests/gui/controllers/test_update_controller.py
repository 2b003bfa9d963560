"""Looking for updates opens a page in the browser, only on request and only if there is one."""

import json

import pytest
from PySide6.QtCore import QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox

from app import release
from app.controllers.update_controller import UpdateController

PAGE = "https://example.org/someone/velox/releases"
UNKNOWN = "This build does not know where its releases are published; look where you got it."


class Browser(QObject):
    """Takes the place of the system's browser."""

    opened = Signal(str)

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.emit(url.toString())


@pytest.fixture
def browser():
    browser = Browser()
    for scheme in ("https", "http", "file"):
        QDesktopServices.setUrlHandler(scheme, browser, "open")
    yield browser
    for scheme in ("https", "http", "file"):
        QDesktopServices.unsetUrlHandler(scheme)


@pytest.fixture
def resources(monkeypatch, tmp_path):
    monkeypatch.setattr(release.paths, "resources_dir", lambda: tmp_path)
    return tmp_path


def test_releases_page_is_opened_on_request_only(qtbot, browser, resources):
    (resources / "release.json").write_text(json.dumps({"releases": PAGE}))
    seen = []
    browser.opened.connect(seen.append)
    updates = UpdateController()
    qtbot.wait(1)  # one turn of the event loop
    assert seen == []
    updates.check()
    assert seen == [PAGE]


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "[]",
        "{}",
        '{"releases": 3}',
        '{"releases": "http://example.org/releases"}',
        '{"releases": "file:///etc/passwd"}',
        '{"releases": "https://"}',
        '{"releases": "https://[x"}',
        "\ud800",
    ],
)
def test_build_without_a_good_page_says_so(qtbot, browser, resources, content):
    if content is not None:
        (resources / "release.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    seen = []
    browser.opened.connect(seen.append)
    updates = UpdateController()
    with qtbot.waitSignal(updates.told) as told:
        updates.check()
    assert told.args == [UNKNOWN]
    assert seen == []


def test_missing_browser_is_said_with_the_address(qtbot, resources, monkeypatch):
    (resources / "release.json").write_text(json.dumps({"releases": PAGE}))
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    updates = UpdateController()
    with qtbot.waitSignal(updates.problem) as problem:
        updates.check()
    assert problem.args == [f"No browser could be opened; the releases are at {PAGE}."]


def test_menu_of_a_checkout_says_in_the_window_that_it_does_not_know(open_velox, browser):
    seen = []
    browser.opened.connect(seen.append)
    driver = open_velox()
    driver.velox.menus.check_updates.trigger()
    assert driver.window.banners.message("news") == UNKNOWN
    assert seen == []


def test_about_tells_the_version(open_velox, monkeypatch):
    told = []
    monkeypatch.setattr(QMessageBox, "about", lambda *arguments: told.append(arguments[-1]))
    open_velox().velox.menus.about.trigger()
    assert told[0].startswith(f"Velox {release.version()} chats with")
