"""One page of the settings window: the settings of a group, one below the other."""

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.settings.setting import Group, Setting
from app.widgets import theme
from app.widgets.labels import QuietLabel
from app.widgets.pane import Hairline, Pane
from app.widgets.setting_fields import SettingField, is_wide, make_field


class SettingsPage(QScrollArea):
    """The visible settings of ``group`` and a button that gives them their defaults again."""

    setting_edited = Signal(str, object)
    reset_requested = Signal(str)

    def __init__(
        self, group: Group, settings: tuple[Setting, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.group = group
        self.fields: dict[str, SettingField] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = Pane("base", (), self)
        self._rows = QVBoxLayout(page)
        self._rows.setContentsMargins(theme.XL, theme.L, theme.XL, theme.L)
        self._rows.setSpacing(theme.M)
        shared = _shared_note(settings)
        if shared:
            self._rows.addWidget(_quiet(shared, page))
        for number, setting in enumerate(settings):
            if number or shared:
                self._rows.addWidget(Hairline(page))
            self._add(setting, translated(setting.help) if shared else _note(setting), page)
        self._rows.addStretch(1)
        self.reset_button = QPushButton(self.tr("Reset These to Defaults"), page)
        self.reset_button.clicked.connect(lambda: self.reset_requested.emit(group.key))
        last = QHBoxLayout()
        last.addStretch(1)
        last.addWidget(self.reset_button)
        self._rows.addLayout(last)
        self.setWidget(page)

    def minimumSizeHint(self) -> QSize:
        """Never narrower than what stands in it: it scrolls up and down only."""
        hint = super().minimumSizeHint()
        page = self.widget()
        if page is None:
            return hint
        needed = page.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(max(hint.width(), needed), hint.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of what stands in it."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def set_value(self, key: str, value: Any) -> None:
        """Show the value of setting ``key``; nothing is told."""
        self.fields[key].set_value(value)

    def _add(self, setting: Setting, note: str, page: QWidget) -> None:
        label = QLabel(translated(setting.label), page)
        label.setWordWrap(True)
        field = make_field(setting, translated(setting.label), page)
        field.control.setAccessibleDescription(_note(setting))
        label.setBuddy(field.control)
        field.edited.connect(lambda value, key=setting.key: self.setting_edited.emit(key, value))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.L)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label, 0, 0)
        grid.addWidget(_quiet(note, page), 1, 0)
        if is_wide(setting):
            grid.setRowMinimumHeight(2, theme.S)
            grid.addWidget(field, 3, 0, 1, 2)
        else:
            grid.addWidget(field, 0, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        self._rows.addLayout(grid)
        self.fields[setting.key] = field


def translated(text: str) -> str:
    """A text of the settings table in the interface's language."""
    return QCoreApplication.translate("Settings", text)


def _quiet(text: str, parent: QWidget) -> QuietLabel:
    label = QuietLabel(text, parent, theme.SMALL_SIZE)
    label.setWordWrap(True)
    return label


def _shared_note(settings: tuple[Setting, ...]) -> str:
    """What is true of all settings of a page and need not be said of each; empty for nothing."""
    if len({(setting.applies, setting.per_chat) for setting in settings}) > 1:
        return ""
    return " ".join(_about(settings[0]))


def _note(setting: Setting) -> str:
    return " ".join((translated(setting.help), *_about(setting)))


def _about(setting: Setting) -> list[str]:
    """When a change applies, unless at once, and whether chats differ."""
    parts = []
    if setting.applies != "at once":
        parts.append(translated(f"Applies {setting.applies}."))
    if setting.per_chat:
        parts.append(translated("A chat can have its own."))
    return parts
