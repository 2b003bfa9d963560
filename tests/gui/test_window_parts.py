"""The window as a whole: named controls, banners, panes, menus."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QLineEdit,
    QListView,
)

from app.widgets.main_window import MainWindow
from app.widgets.menus import Menus

CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QLineEdit, QListView)


@pytest.fixture
def window(qtbot):
    widget = MainWindow()
    qtbot.addWidget(widget)
    widget.close_requested.connect(widget.deleteLater)
    return widget


def test_every_control_has_an_accessible_name(window):
    window.banners.show_message("k", "Something happened.", action="Do it")
    nameless = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}"
        for kind in CONTROLS
        for widget in window.findChildren(kind)
        if not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_")
        and type(widget).__name__ != "QScrollBar"
        and not isinstance(widget.parent(), QLineEdit)  # Qt's own clear button
    ]
    assert nameless == []


def test_panes_hide_and_come_back(window, qtbot):
    window.show()
    window.toolbar.sidebar_button.click()
    window.toolbar.panel_button.click()
    assert not window.sidebar.isVisible()
    assert not window.panel.isVisible()
    window.toggle_sidebar()
    assert window.sidebar.isVisible()


def test_title_is_shown_in_toolbar_and_window(window):
    window.set_title("Trip to Lisbon")
    assert window.windowTitle() == "Trip to Lisbon – Velox"
    assert window.toolbar.title.toolTip() == "Trip to Lisbon"


def test_banner_tells_its_action_and_goes(window, qtbot):
    window.banners.show_message("undo", "Chat deleted.", "info", "Undo")
    with qtbot.waitSignal(window.banners.action_triggered) as told:
        window.banners.banner("undo").action_button.click()
    assert told.args == ["undo"]
    assert window.banners.message("undo") == ""


def test_banner_text_is_never_read_as_markup(window):
    window.banners.show_message("k", "<b>model</b> & more")
    label = window.banners.banner("k").findChild(type(window.toolbar.title).__mro__[1])
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_banner_goes_by_itself_after_its_time(window, qtbot):
    with qtbot.waitSignal(window.banners.dismissed, timeout=2000) as told:
        window.banners.show_message("soon", "Saved.", "info", timeout_s=0.05)
    assert told.args == ["soon"]


def test_menu_actions_have_roles_and_no_shortcut_twice(window):
    menus = Menus(window)
    shortcuts = [key.toString() for action in menus.actions() for key in action.shortcuts()]
    assert len(shortcuts) == len(set(shortcuts))
    roles = {action.text(): action.menuRole() for action in menus.actions()}
    assert roles["Settings…"] == QAction.MenuRole.PreferencesRole
    assert roles["Quit Velox"] == QAction.MenuRole.QuitRole
    assert roles["About Velox"] == QAction.MenuRole.AboutRole
    assert QAction.MenuRole.TextHeuristicRole not in roles.values()


@pytest.mark.parametrize("text", ["", "lisbon"])
def test_find_bar_asks_and_tells_the_place(window, qtbot, text):
    window.show()
    window.find_bar.field.setText("x")
    with qtbot.waitSignal(window.find_bar.find_requested) as told:
        window.find_bar.field.setText(text)
    assert told.args == [text, True, True]
    window.find_bar.show_place(0, 0)
    assert window.find_bar.count_text() == ("not found" if text else "")
    with qtbot.waitSignal(window.find_bar.closed):
        qtbot.keyClick(window.find_bar.field, Qt.Key.Key_Escape)


def test_model_menu_reads_in_the_applications_direction(window):
    direction = window.toolbar.layoutDirection()
    assert window.toolbar.model_menu.layoutDirection() == direction


def test_files_dropped_anywhere_on_the_window_are_told(window, qtbot, tmp_path):
    source = QMimeData()
    source.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.md"))])
    at = QPointF(5, 5)
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at.toPoint(), Qt.DropAction.CopyAction, source, buttons, keys)
    window.show()
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    assert window.drop_hint.isVisible()
    assert window.drop_hint.size() == window.drop_hint.parentWidget().size()
    window.dragLeaveEvent(QDragLeaveEvent())
    assert not window.drop_hint.isVisible()
    window.dragEnterEvent(enter)
    with qtbot.waitSignal(window.composer.files_dropped) as told:
        window.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, source, buttons, keys))
    assert told.args == [[str(tmp_path / "a.md")]]
    assert not window.drop_hint.isVisible()


def test_dragged_text_is_no_file_to_attach(window):
    source = QMimeData()
    source.setText("words")
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.show()
    copy = Qt.DropAction.CopyAction
    window.dragEnterEvent(QDragEnterEvent(QPoint(5, 5), copy, source, buttons, keys))
    assert not window.drop_hint.isVisible()
