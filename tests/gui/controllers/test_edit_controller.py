"""The Edit menu on real fields."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractSpinBox, QTextBrowser


@pytest.fixture
def driver(open_velox):
    return open_velox().ready()


def test_edit_menu_works_in_the_composer(driver, qtbot) -> None:
    menus, edit = driver.velox.menus, driver.window.composer.edit
    edit.setFocus()
    qtbot.waitUntil(edit.hasFocus)
    qtbot.keyClicks(edit, "lighthouse")
    menus.select_all.trigger()
    menus.cut.trigger()
    assert (edit.toPlainText(), QGuiApplication.clipboard().text()) == ("", "lighthouse")
    menus.paste.trigger()
    assert edit.toPlainText() == "lighthouse"
    menus.undo.trigger()
    assert edit.toPlainText() == ""
    menus.redo.trigger()
    assert edit.toPlainText() == "lighthouse"


def test_edit_menu_copies_from_a_message_and_from_a_number(driver, qtbot) -> None:
    menus, clipboard = driver.velox.menus, QGuiApplication.clipboard()
    driver.ask("A *starred* question")
    body = driver.window.transcript.findChild(QTextBrowser)
    number = driver.window.panel.findChild(QAbstractSpinBox)
    for widget, expected in ((body, "A *starred* question"), (number, number.text())):
        widget.setFocus()
        qtbot.waitUntil(widget.hasFocus)
        menus.select_all.trigger()
        menus.copy.trigger()
        assert clipboard.text() == expected
