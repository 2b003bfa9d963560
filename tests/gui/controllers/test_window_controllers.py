"""Errors, appearance, window state and find, wired into the window."""

import sys

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.widgets import theme


def test_unexpected_error_is_one_sentence_and_a_log_entry(open_velox, caplog) -> None:
    driver = open_velox()
    hook = sys.excepthook

    def fail() -> None:
        try:
            raise RuntimeError("secret detail")
        except RuntimeError:
            hook(*sys.exc_info())

    QTimer.singleShot(0, fail)
    driver.until(lambda: driver.problem)
    assert driver.problem == "Something unexpected went wrong; the log file has the details."
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(("scheme", "dark"), [("dark", True), ("light", False)])
def test_scheme_follows_the_setting(open_velox, scheme, dark) -> None:
    driver = open_velox()
    driver.velox.settings.set("appearance.scheme", scheme)
    assert theme.is_dark(QApplication.palette()) is dark


def test_text_size_changes_and_comes_back(open_velox) -> None:
    driver = open_velox()
    usual = QApplication.font().pixelSize()
    driver.velox.menus.zoom_in.trigger()
    driver.velox.menus.zoom_in.trigger()
    assert QApplication.font().pixelSize() == round(usual * 1.2)
    driver.velox.menus.zoom_reset.trigger()
    assert QApplication.font().pixelSize() == usual


def test_panes_stay_as_they_were_left(open_velox) -> None:
    first = open_velox()
    first.velox.menus.toggle_panel.trigger()
    assert first.velox.close()
    second = open_velox()
    assert second.window.panel.isHidden()
    assert not second.window.sidebar.isHidden()


def test_closing_the_window_quits_where_no_dock_brings_it_back(open_velox, monkeypatch) -> None:
    driver = open_velox()
    wished = []
    driver.velox.shell.quit_requested.connect(lambda: wished.append(True))
    monkeypatch.setattr(driver.velox, "_app", type("App", (), {"exit": lambda *_: None})())
    driver.window.close()
    assert wished and not driver.window.isVisible()


def test_help_page_explains_the_words_of_the_panel(open_velox, qtbot) -> None:
    driver = open_velox()
    driver.velox.menus.help.trigger()
    window = driver.velox.help.window
    assert window.isVisible()
    text = window.page.toPlainText()
    for word in ("Budget", "Sinks", "eviction", "may carry what it contributed", "estimates"):
        assert word in text
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_every_menu_action_does_something(open_velox) -> None:
    menus = open_velox().velox.menus
    # Menus listen to their actions, too; this switch is followed by its state instead.
    own = menus.show_remembered.receivers("2triggered(bool)")
    idle = [a.text() for a in menus.actions() if a.receivers("2triggered(bool)") <= own]
    assert idle == [menus.show_remembered.text()]
