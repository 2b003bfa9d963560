"""The small grey line under a message: figures, versions and what can be done with it."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.models.message_view import MessageView
from app.widgets.transcript.look import Look
from app.widgets.transcript.quiet_button import QuietButton

_GAP, _ROW_GAP = 4, 2


class MetaLine(QWidget):
    """Figures and buttons in a row, in as many rows as the width asks for.

    Under a reply all of it is shown. Under a person's own message the buttons appear when the
    pointer or the keyboard comes near. The system prompt has no buttons.
    """

    triggered = Signal(str)  # the name of an action, as in ACTIONS

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._figures = QLabel(self)
        self._figures.setWordWrap(True)
        self._figures.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._buttons: dict[str, QuietButton] = {}
        self._ghostly = self._near = False
        self._look: Look | None = None

    def show_message(self, message: MessageView, look: Look) -> None:
        """Show what belongs to ``message``."""
        self._look = look
        self._ghostly = message.role == "user"
        self._figures.setFont(look.small_font)
        palette = self._figures.palette()
        palette.setColor(self._figures.foregroundRole(), look.colours.secondary)
        self._figures.setPalette(palette)
        self._figures.setText("   ".join(self._parts(message)))
        self._figures.setToolTip(message.stats_detail)
        wanted = self._actions(message)
        for name in set(self._buttons) - {name for name, _, _ in wanted}:
            self._buttons.pop(name).deleteLater()
        for name, text, description in wanted:
            button = self._buttons.get(name) or self._add(name)
            button.setText(text)
            button.setAccessibleName(description)
            button.setToolTip(description if description != text else "")
            button.set_look(look.small_font, look.colours)
            button.setEnabled(not (name == "previous" and message.version <= 1))
            if name == "next":
                button.setEnabled(message.version < message.version_count)
        self._buttons = {name: self._buttons[name] for name, _, _ in wanted}
        self.set_near(self._near)

    def figures(self) -> str:
        """Return the worded figures."""
        return self._figures.text()

    def set_near(self, near: bool) -> None:
        """Tell whether pointer or keyboard is at the message."""
        self._near = near
        self._figures.setVisible(bool(self._figures.text()))
        for name, button in self._buttons.items():
            always = name in ("previous", "next", "version") or button.text() == self.tr("Pinned")
            button.set_shown(near or not self._ghostly or always)

    def buttons(self) -> Sequence[QWidget]:
        """Return the buttons in reading order."""
        return list(self._buttons.values())

    def button(self, name: str) -> QuietButton | None:
        """Return the button of an action, if it is offered."""
        return self._buttons.get(name)

    def arrange(self, width: int, *, trailing: bool) -> int:
        """Place everything within ``width``; return the height.

        Args:
            width: In pixels.
            trailing: Whether the row stands at the far end of the line, as a person's own does.
        """
        buttons: list[QWidget] = list(self._buttons.values())
        figures: list[QWidget] = [self._figures] if self._figures.text() else []
        # A person's own at the outer end, where no gap is left by buttons that are not shown.
        rows = _in_rows([*buttons, *figures] if trailing else [*figures, *buttons], width)
        if figures and not trailing and len(rows) > 1:
            # Buttons that do not fit beside the figures stay together below them.
            rows = _in_rows(figures, width) + _in_rows(buttons, width)
        y = 0
        for row in rows:
            y = self._arrange_row(row, y, width, trailing)
        return max(0, y - _ROW_GAP)

    def _arrange_row(
        self, row: list[tuple[QWidget, QSize]], y: int, width: int, trailing: bool
    ) -> int:
        height = max((size.height() for _, size in row), default=0)
        total = sum(size.width() + _GAP for _, size in row) - _GAP
        if len(row) > 1 and any(widget is self._figures for widget, _ in row):
            total += 2 * _GAP
        x = width - total if trailing else 0
        if row and not trailing and isinstance(row[0][0], QuietButton):
            x -= 4  # the text of a button starts inside it
        for number, (widget, size) in enumerate(row):
            if number and widget is self._figures:
                x += 2 * _GAP
            left = x
            if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
                left = width - x - size.width()
            widget.setGeometry(left, y + (height - size.height()) // 2, size.width(), size.height())
            if widget is not self._figures:
                widget.show()
            x += size.width() + _GAP
            if widget is self._figures:
                x += 2 * _GAP
        return y + height + _ROW_GAP

    def _parts(self, message: MessageView) -> list[str]:
        parts = list(message.stats)
        if message.role == "system":
            parts.append(self.tr("System prompt"))
        if message.remembered is not None:
            share = round(100 * message.remembered)
            parts.append(self.tr("{share}% remembered").format(share=share))
        if message.state == "stopped":
            parts.append(self.tr("stopped"))
        if message.state == "cut":
            parts.append(self.tr("cut at the token limit"))
        return parts

    def _actions(self, message: MessageView) -> list[tuple[str, str, str]]:
        """Return (name, text, description) of each button."""
        if message.role == "system":
            return []
        copy = ("copy", self.tr("Copy"), self.tr("Copy message"))
        menu = ("menu", "⋯", self.tr("More actions"))
        pins: list[tuple[str, str, str]] = []
        if message.can_pin and message.pinned:
            pins = [("pin", self.tr("Pinned"), self.tr("Unpin: may be forgotten"))]
        elif message.can_pin:
            pins = [("pin", self.tr("Pin"), self.tr("Pin: never forget this"))]
        versions = self._versions(message)
        if message.role != "assistant":
            # What is always shown stands at the outer end, where no gap is left by the others.
            edit = ("edit", self.tr("Edit"), self.tr("Edit message"))
            if message.pinned:
                return [copy, edit, menu, *versions, *pins]
            return [copy, edit, *pins, menu, *versions]
        again = [("regenerate", "↻", self.tr("Regenerate"))]
        if message.state in ("stopped", "cut"):
            again.append(("continue", self.tr("Continue"), self.tr("Continue this reply")))
        return [*versions, copy, *again, *pins, menu]

    def _versions(self, message: MessageView) -> list[tuple[str, str, str]]:
        if message.version_count < 2:
            return []
        of = f"{message.version}/{message.version_count}"
        return [
            ("previous", "‹", self.tr("Previous version")),
            ("version", of, self.tr("Version {of}").format(of=of)),
            ("next", "›", self.tr("Next version")),
        ]

    def _add(self, name: str) -> QuietButton:
        button = QuietButton("", self)
        if name == "version":
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self.triggered.emit(name))
        self._buttons[name] = button
        return button


def _in_rows(widgets: Sequence[QWidget], width: int) -> list[list[tuple[QWidget, QSize]]]:
    """Share ``widgets`` out over as few rows as ``width`` allows, with their sizes."""
    rows: list[list[tuple[QWidget, QSize]]] = [[]]
    used = 0
    for widget in widgets:
        size = _size(widget, width)
        if rows[-1] and used + size.width() + 2 * _GAP > width:
            rows.append([])
            used = 0
        rows[-1].append((widget, size))
        used += size.width() + _GAP
    return rows


def _size(widget: QWidget, width: int) -> QSize:
    """Return how large ``widget`` is within ``width``; figures break into lines."""
    if isinstance(widget, QLabel):
        metrics = widget.fontMetrics()
        needed = metrics.horizontalAdvance(widget.text()) + 2
        if needed <= width:
            return QSize(needed, metrics.height())
        return QSize(width, widget.heightForWidth(width))
    size = widget.sizeHint()
    return QSize(min(size.width(), width), size.height())
