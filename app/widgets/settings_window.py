"""The settings window: made from the settings table, open beside the main window."""

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidget,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.settings.table import GROUPS, SETTINGS
from app.widgets import theme
from app.widgets.banner import BannerArea
from app.widgets.pane import Pane
from app.widgets.settings_page import SettingsPage, translated

Index = QModelIndex | QPersistentModelIndex
_SIZE = (700, 560)
_LIST_WIDTH = 150


class SettingsWindow(QWidget):
    """Groups at the side, the settings of one beside them; every change is told at once."""

    setting_edited = Signal(str, object)  # key, value
    reset_requested = Signal(str)  # key of the group

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Settings"))
        self.resize(*_SIZE)
        self.pages: dict[str, SettingsPage] = {}
        self.groups = QListWidget(self)
        self.banners = BannerArea(self)
        self._stack = QStackedWidget(self)
        for group in GROUPS:
            shown = tuple(s for s in SETTINGS if s.group == group.key and not s.hidden)
            page = SettingsPage(group, shown, self._stack)
            page.setting_edited.connect(self.setting_edited)
            page.reset_requested.connect(self.reset_requested)
            self.pages[group.key] = page
            self._stack.addWidget(page)
            self.groups.addItem(translated(group.label))
        self._build()
        self.groups.currentRowChanged.connect(self._stack.setCurrentIndex)
        self.groups.setCurrentRow(0)
        for key in (QKeySequence.StandardKey.Close, QKeySequence.StandardKey.Cancel):
            QShortcut(QKeySequence(key), self, self.close)

    def set_value(self, key: str, value: Any) -> None:
        """Show the value of one setting; hidden ones are passed over."""
        page = self.pages.get(key.partition(".")[0])
        if page is not None and key in page.fields:
            page.set_value(key, value)

    def show_group(self, key: str) -> None:
        """Open the window at a group, and bring it to the front."""
        self.groups.setCurrentRow(list(self.pages).index(key))
        self.bring_to_front()

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        self.show()
        self.raise_()
        self.activateWindow()

    def show_problem(self, sentence: str) -> None:
        """Say why something could not be changed or saved; empty takes it away."""
        if sentence:
            self.banners.show_message("problem", sentence)
        else:
            self.banners.clear_message("problem")

    def _build(self) -> None:
        self.groups.setAccessibleName(self.tr("Groups of settings"))
        self.groups.setFrameShape(QFrame.Shape.NoFrame)
        self.groups.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.groups.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Expanding)
        self.groups.setMinimumWidth(_LIST_WIDTH)
        self.groups.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.groups.viewport().setAutoFillBackground(False)
        self.groups.setSpacing(1)
        self.groups.setItemDelegate(_GroupDelegate(self.groups))
        side = Pane("window", ("right",), self)
        side_rows = QVBoxLayout(side)
        side_rows.setContentsMargins(theme.S, theme.M, theme.S, theme.M)
        side_rows.addWidget(self.groups)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self.banners)
        right.addWidget(self._stack, 1)
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(0)
        columns.addWidget(side)
        columns.addLayout(right, 1)


class _GroupDelegate(QStyledItemDelegate):
    """Rows with room around their text at every text size; the chosen one on a rounded ground."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return super().sizeHint(option, index) + QSize(2 * theme.L, theme.S + theme.XS)

    def paint(self, painter: QPainter, option: Any, index: Index) -> None:
        colours = theme.colours(option.palette)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selection)
            painter.drawRoundedRect(option.rect, theme.RADIUS, theme.RADIUS)
        painter.setPen(colours.on_selection if chosen else colours.text)
        painter.setFont(option.font)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        inner = option.rect.adjusted(theme.S, 0, -theme.S, 0)
        painter.drawText(inner, flags, str(index.data()))
        painter.restore()
