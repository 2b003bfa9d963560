"""One model in the models window."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.models.model_row import FitLevel, ModelRow
from app.widgets import theme
from app.widgets.labels import QuietLabel, plain_tip


class ModelRowWidget(QWidget):
    """Name and facts at the start, what can be done at the end."""

    action_triggered = Signal(str, str)  # key, action

    def __init__(self, row: ModelRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = ModelRow("", "")
        self._title = QLabel(self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_font(self._title, weight=QFont.Weight.DemiBold)
        self._detail = QuietLabel("", self, theme.SMALL_SIZE)
        self._fit = _StateLabel(self)
        self._problem = _StateLabel(self)
        self._note = QuietLabel("", self, theme.SMALL_SIZE)
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        for label in (self._title, self._detail, self._fit, self._problem, self._note):
            label.setWordWrap(True)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.S)
        self.buttons: dict[str, QPushButton] = {}
        self._build()
        self.show_row(row)

    def show_row(self, row: ModelRow) -> None:
        """Show the row's new state."""
        if row == self._row:
            return
        actions_changed = row.actions != self._row.actions or row.title != self._row.title
        self._row = row
        self._title.setText(row.title)
        self.setToolTip(plain_tip(row.details_tip))
        parts = (
            (self._detail, row.detail),
            (self._fit, row.fit),
            (self._problem, row.problem),
            (self._note, row.note),
        )
        for label, text in parts:
            label.setText(text)
            label.setVisible(bool(text))
        self._fit.set_level(row.level)
        self._problem.set_level("too large")
        self.progress.setVisible(row.progress is not None)
        self.progress.setAccessibleName(self.tr("Progress of {name}").format(name=row.title))
        if row.progress is not None:
            self.progress.setValue(round(row.progress * 1000))
        if actions_changed:
            self._show_actions()

    def _build(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        for widget in (
            self._title,
            self._detail,
            self._fit,
            self._problem,
            self._note,
            self.progress,
        ):
            words.addWidget(widget)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, theme.S, 0, theme.S)
        line.setSpacing(theme.L)
        line.addLayout(words, 1)
        line.addLayout(self._buttons)

    def _show_actions(self) -> None:
        words = {
            "load": self.tr("Use"),
            "unload": self.tr("Unload"),
            "cancel": self.tr("Stop"),
            "download": self.tr("Download"),
            "pause": self.tr("Pause"),
            "resume": self.tr("Resume"),
            "discard": self.tr("Discard"),
        }
        for button in self.buttons.values():
            self._buttons.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = {}
        for action in self._row.actions:
            button = QPushButton(words[action], self)
            button.setAccessibleName(f"{words[action]}: {self._row.title}")
            button.clicked.connect(
                lambda _=False, a=action: self.action_triggered.emit(self._row.key, a)
            )
            self._buttons.addWidget(button)
            self.buttons[action] = button


class _StateLabel(QLabel):
    """Small text whose colour says how good the news is; the words say it as well."""

    def __init__(self, parent: QWidget) -> None:
        self._level: FitLevel = ""
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        theme.set_font(self, theme.SMALL_SIZE)
        self._colour()

    def set_level(self, level: FitLevel) -> None:
        self._level = level
        self._colour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        colours = theme.colours(QApplication.palette())
        colour = {
            "fits": colours.success,
            "tight": colours.text,
            "too large": colours.danger,
            "": colours.secondary,
        }[self._level]
        if self.palette().color(QPalette.ColorRole.WindowText) != colour:
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)
