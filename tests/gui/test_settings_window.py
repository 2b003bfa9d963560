import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLabel, QPlainTextEdit, QPushButton

from app.controllers.appearance_controller import AppearanceController
from app.controllers.settings_controller import SettingsController
from app.settings.store import SettingsStore
from app.settings.table import GROUPS, SETTINGS
from app.widgets import theme
from app.widgets.folder_list import FolderList
from app.widgets.settings_page import SettingsPage
from app.widgets.toggle_switch import ToggleSwitch

SHOWN = tuple(setting for setting in SETTINGS if not setting.hidden)


@pytest.fixture
def store(tmp_path):
    store = SettingsStore(tmp_path / "config" / "settings.json")
    yield store
    store.flush()


@pytest.fixture
def controller(store, qtbot):
    controller = SettingsController(store)
    controller.open()
    yield controller
    controller.close()


@pytest.fixture
def window(controller):
    return controller.window


def clipped(page: SettingsPage) -> list[str]:
    """What on a page has too little room or stands outside of it."""
    inside = page.widget().rect()
    wrong = [] if inside.width() <= page.viewport().width() else ["page"]
    for label in page.findChildren(QLabel):
        large = label.font().pixelSize() >= 2 * theme.SMALL_SIZE
        if not large or label.height() < label.heightForWidth(label.width()):
            wrong.append(label.text())
    for kind in (QAbstractSpinBox, QComboBox, QPushButton, ToggleSwitch):
        for widget in page.findChildren(kind):
            end = widget.mapTo(page.widget(), widget.rect().bottomRight())
            if not inside.contains(end) or widget.height() < widget.minimumSizeHint().height():
                wrong.append(widget.accessibleName())
    return wrong


def control(window, key):
    return window.pages[key.partition(".")[0]].fields[key].control


def test_every_shown_setting_has_a_named_control_that_the_keyboard_reaches(window) -> None:
    assert [window.groups.item(row).text() for row in range(window.groups.count())] == [
        group.label for group in GROUPS
    ]
    for setting in SHOWN:
        widget = control(window, setting.key)
        assert widget.accessibleName() == setting.label
        assert setting.help in widget.accessibleDescription()
        target = widget.focusProxy() or widget
        assert target.focusPolicy() & Qt.FocusPolicy.TabFocus
        buddies = [label for label in window.findChildren(QLabel) if label.buddy() is widget]
        assert [label.text() for label in buddies] == [setting.label]


def test_edits_reach_the_store_at_once(window, store, qtbot) -> None:
    control(window, "memory.bounded").click()
    control(window, "memory.budget").setValue(512)
    control(window, "sampling.temperature").setValue(0.25)
    control(window, "sampling.seed").setValue(7)
    control(window, "sampling.stop").setPlainText("###\n\nUser:")
    control(window, "chat.system_prompt").setPlainText("Be brief.")
    box = control(window, "appearance.scheme")
    qtbot.keyClick(box, Qt.Key.Key_End)
    expected = {
        "memory.bounded": False,
        "memory.budget": 512,
        "sampling.temperature": 0.25,
        "sampling.seed": 7,
        "sampling.stop": ("###", "User:"),
        "chat.system_prompt": "Be brief.",
        "appearance.scheme": "dark",
    }
    assert {key: store.get(key) for key in expected} == expected


def test_changes_from_elsewhere_are_shown_without_being_told_again(window, store) -> None:
    edits: list[str] = []
    window.setting_edited.connect(lambda key, _value: edits.append(key))
    store.set("memory.budget", 128)
    store.set("memory.show_remembered", True)
    store.set("sampling.seed", 3)
    store.set("sampling.seed", None)
    store.set("models.folders", ["/a", "/b"])
    store.set("chat.send_key", "command_return")
    store.set("window.last_chat", "hidden")
    assert control(window, "memory.budget").value() == 128
    assert control(window, "memory.show_remembered").isChecked()
    assert control(window, "sampling.seed").text() == "Random"
    assert control(window, "models.folders").folders() == ("/a", "/b")
    assert control(window, "chat.send_key").currentData() == "command_return"
    assert edits == []


def test_reset_button_resets_its_page_only(window, store) -> None:
    store.set("memory.budget", 128)
    store.set("sampling.top_k", 9)
    window.pages["memory"].reset_button.click()
    assert (store.get("memory.budget"), store.get("sampling.top_k")) == (2048, 9)
    assert control(window, "memory.budget").value() == 2048


def test_refused_value_is_said_and_taken_back(window, store) -> None:
    control(window, "sampling.stop").setPlainText("x" * 300)
    assert window.banners.message("problem") == "Stop at must be at most 200 characters long."
    assert store.get("sampling.stop") == ()
    assert control(window, "sampling.stop").toPlainText() == ""
    control(window, "sampling.stop").setPlainText("fine")
    assert window.banners.message("problem") == ""


def test_settings_that_cannot_be_saved_are_said(window, store, tmp_path, qtbot) -> None:
    (tmp_path / "config").write_text("in the way")
    store.set("memory.budget", 128)
    store.flush()
    qtbot.waitUntil(lambda: "cannot be saved" in window.banners.message("problem"))


def test_folders_are_added_once_and_removed(window, store) -> None:
    folders: FolderList = control(window, "models.folders")
    for name in ("/x", "/y", "/x", ""):
        folders.add_folder(name)
    assert store.get("models.folders") == ("/x", "/y")
    assert not folders.remove_button.isEnabled()
    folders.list.setCurrentRow(0)
    folders.remove_button.click()
    assert store.get("models.folders") == ("/y",)


def test_typing_keeps_the_cursor_where_it_is(window, store, qtbot) -> None:
    edit: QPlainTextEdit = control(window, "sampling.stop")
    qtbot.keyClicks(edit, "a")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.keyClicks(edit, "b")
    assert edit.toPlainText() == "a\nb"
    assert store.get("sampling.stop") == ("a", "b")


def test_keyboard_changes_page_and_closes_the_window(window, controller, qtbot) -> None:
    window.groups.setFocus()
    qtbot.keyClick(window.groups, Qt.Key.Key_Down)
    assert window.pages["chat"].isVisible()
    qtbot.keyClick(control(window, "chat.system_prompt"), Qt.Key.Key_Escape)
    assert not window.isVisible()
    controller.open()
    assert window.isVisible()
    assert not window.isModal()
    window.show_group("models")
    assert window.pages["models"].isVisible()


@pytest.mark.parametrize(
    "direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]
)
def test_nothing_is_clipped_at_double_text_size(window, store, qapp, qtbot, direction) -> None:
    before = QFont(qapp.font())
    look = AppearanceController(qapp, store)
    window.setLayoutDirection(direction)
    try:
        store.set("appearance.text_size", 200)
        for page in window.pages.values():
            window.show_group(page.group.key)
            qtbot.waitUntil(lambda page=page: clipped(page) == [])
    finally:
        store.set("appearance.text_size", 100)
        qapp.setFont(before)
        look.deleteLater()
