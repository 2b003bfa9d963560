"""Short dialogs that do not hold up the window behind them."""

from collections.abc import Callable

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget


def ask(
    parent: QWidget, title: str, question: str, detail: str, accept: str, then: Callable[[], None]
) -> None:
    """Ask a question; ``then`` follows when the button ``accept`` is pressed."""
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setText(question)
    box.setInformativeText(detail)
    box.setStandardButtons(QMessageBox.StandardButton.Ok | QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Ok).setText(accept)
    for button in box.buttons():
        # Some desktops put pictures on buttons, from another time.
        button.setIcon(QIcon())
    box.accepted.connect(then)
    box.finished.connect(box.deleteLater)
    box.open()
