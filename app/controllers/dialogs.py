"""Short dialogs that do not hold up the window behind them."""

from collections.abc import Callable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget


def ask(
    parent: QWidget, title: str, question: str, detail: str, accept: str, then: Callable[[], None]
) -> None:
    """Ask a question; ``then`` follows when the button ``accept`` is pressed."""
    box = _box(parent, title, question, detail)
    box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Ok).setText(accept)
    box.accepted.connect(then)
    _open(box)


def tell(parent: QWidget, title: str, heading: str, detail: str) -> None:
    """Show a text with a button that closes it."""
    box = _box(parent, title, heading, detail)
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    _open(box)


def _box(parent: QWidget, title: str, text: str, detail: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(detail)
    return box


def _open(box: QMessageBox) -> None:
    for button in box.buttons():
        # Some desktops put pictures on buttons, from another time.
        button.setIcon(QIcon())
    box.finished.connect(box.deleteLater)
    box.open()
