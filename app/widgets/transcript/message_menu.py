"""The menu of a message."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.models.message_view import MessageView


def _tr(text: str) -> str:
    return QCoreApplication.translate("MessageMenu", text)


def message_menu(message: MessageView, selection: str, link: str, parent: QWidget) -> QMenu:
    """Build the menu; the data of each action is its name.

    Args:
        message: The message it belongs to.
        selection: The raw text selected in it, or "".
        link: The address under the pointer, or "".
        parent: Owner of the menu.
    """
    entries: list[tuple[str, str]] = []
    if selection:
        entries.append(("copy_selection", _tr("Copy Selection")))
    if link:
        entries.append(("copy_link", _tr("Copy Link Address")))
    entries += [
        ("copy", _tr("Copy Message")),
        ("select_all", _tr("Select All of This Message")),
    ]
    if message.role != "system":
        entries.append(("", ""))
    if message.role == "user" and not message.busy:
        entries.append(("edit", _tr("Edit…")))
    if message.role == "assistant" and not message.busy:
        entries.append(("regenerate", _tr("Regenerate")))
        if message.state in ("stopped", "cut"):
            entries.append(("continue", _tr("Continue")))
    if message.can_pin:
        entries.append(("pin", _tr("Unpin") if message.pinned else _tr("Pin")))
    if message.role != "system":
        entries += [("", ""), ("delete", _tr("Delete"))]
    menu = QMenu(parent)
    for name, text in entries:
        if name:
            menu.addAction(text).setData(name)
        else:
            menu.addSeparator()
    return menu
