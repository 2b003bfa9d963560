"""The memory panel: the gauge, the figures, and what steers them."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.models.formats import format_bytes, format_count, format_memory, format_process
from app.models.memory_view import MemoryView
from app.widgets import theme
from app.widgets.budget_slider import BudgetSlider
from app.widgets.figures import Figures
from app.widgets.gauge import Gauge
from app.widgets.labels import QuietLabel, SectionTitle
from app.widgets.pane import Hairline, Pane
from app.widgets.timeline import TimeLine
from app.widgets.toggle_switch import ToggleSwitch
from app.widgets.value_slider import ValueSlider


class MemoryPanel(Pane):
    """The right pane. Further sections (sampling, system prompt) are added from outside."""

    budget_changed = Signal(int)
    sinks_changed = Signal(int)
    bounded_toggled = Signal(bool)
    remembered_toggled = Signal(bool)
    reread_requested = Signal()
    suggestion_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", (), parent)
        self.gauge = Gauge(self)
        self.figures = Figures(
            [
                self.tr("KV cache"),
                self.tr("would be without eviction"),
                self.tr("tokens kept / seen"),
                self.tr("app memory, measured"),
            ],
            self,
        )
        self.timeline = TimeLine(self)
        self.budget = BudgetSlider(self.tr("Budget"), self)
        self.budget.setToolTip(self.tr("Tokens each layer's KV cache may keep"))
        self.sinks = ValueSlider(self.tr("Sinks"), 0, 63, self)
        self.sinks.setToolTip(self.tr("First tokens of the chat that are never dropped"))
        self.bounded = ToggleSwitch(self.tr("Keep within the budget"), self)
        self.bounded.setChecked(True)
        self._pending = QuietLabel(
            self.tr("From the next reply on; the conversation is read again then."),
            self,
            theme.SMALL_SIZE,
        )
        self._pending.setWordWrap(True)
        self._pending.hide()
        self.remembered = ToggleSwitch(self.tr("Show what is remembered"), self)
        self.reread = QPushButton(self.tr("Re-read conversation…"), self)
        self.reread.setToolTip(
            self.tr("Read the whole conversation again, so that a larger budget can keep more")
        )
        self._live = SectionTitle(self.tr("Live"), self)
        self._live.hide()
        self._build()
        self.budget.suggestion_clicked.connect(self.suggestion_requested)
        self.budget.value_changed.connect(self.budget_changed)
        self.sinks.value_changed.connect(self.sinks_changed)
        self.bounded.clicked.connect(self._on_bounded_clicked)
        self.remembered.clicked.connect(self.remembered_toggled)
        self.reread.clicked.connect(self.reread_requested)

    def show_memory(self, view: MemoryView) -> None:
        """Show the measured state."""
        if view.tokens_seen:
            self.gauge.set_ratio(view.ratio, view.bounded)
        else:
            self.gauge.clear()
        memory = format_process(view.memory_nbytes) if view.memory_nbytes else "–"
        if view.memory_nbytes and view.total_nbytes:
            memory = self.tr("{used} of {total}").format(
                used=memory, total=format_memory(view.total_nbytes)
            )
        figures = ["–", "–", "–"]
        if view.tokens_seen:
            figures = [
                format_bytes(view.cache_nbytes),
                format_bytes(view.full_cache_nbytes),
                f"{format_count(view.tokens_kept)} / {format_count(view.tokens_seen)}",
            ]
        self.figures.set_values([*figures, memory])

    def set_live(self, live: bool) -> None:
        """Show that the figures are moving with a reply."""
        self._live.setVisible(live)

    def set_bounded(self, bounded: bool) -> None:
        """Show whether the cache is bounded; the sliders only count then."""
        self.bounded.setChecked(bounded)
        self.budget.setEnabled(bounded)
        self.sinks.setEnabled(bounded)

    def set_pending(self, pending: bool) -> None:
        """Say that the switch between budget and full cache waits for the next reply."""
        self._pending.setVisible(pending)
        self.bounded.setAccessibleDescription(self._pending.text() if pending else "")

    def add_section(self, widget: QWidget) -> None:
        """Add a section under the others, set off by a hairline."""
        self._rows.insertWidget(self._rows.count() - 1, Hairline(self))
        self._rows.insertWidget(self._rows.count() - 1, widget)

    def _build(self) -> None:
        content = QWidget(self)
        self._rows = QVBoxLayout(content)
        self._rows.setContentsMargins(theme.L, theme.L, theme.L, theme.M)
        self._rows.setSpacing(10)
        title = QHBoxLayout()
        title.addWidget(SectionTitle(self.tr("Memory"), self))
        title.addStretch()
        title.addWidget(self._live)
        self._rows.addLayout(title)
        for widget in (self.gauge, self.figures, self.timeline, Hairline(self)):
            self._rows.addWidget(widget)
        self._rows.addWidget(self.budget)
        self._rows.addWidget(self.sinks)
        self._rows.addLayout(self._switch_row(self.bounded))
        self._rows.addWidget(self._pending)
        self._rows.addLayout(self._switch_row(self.remembered))
        self._rows.addWidget(self.reread, 0, Qt.AlignmentFlag.AlignLeading)
        self._rows.addStretch()
        area = self._area = QScrollArea(self)
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self._content = content
        content.installEventFilter(self)
        self.setMinimumWidth(theme.PANEL_WIDTH)
        area.verticalScrollBar().rangeChanged.connect(self._on_scroll_range_changed)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def _switch_row(self, switch: ToggleSwitch) -> QHBoxLayout:
        row = QHBoxLayout()
        label = QLabel(switch.accessibleName(), self)
        label.setBuddy(switch)
        row.addWidget(label)
        row.addStretch()
        row.addWidget(switch)
        return row

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Never be narrower than what is in it, at any text size."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            bar = self._area.verticalScrollBar().sizeHint().width()
            least = self._content.minimumSizeHint().width() + bar
            self.setMinimumWidth(max(theme.PANEL_WIDTH, least))
        return super().eventFilter(watched, event)

    def _on_scroll_range_changed(self, _minimum: int, maximum: int) -> None:
        # The bar takes its room from the margin, so that nothing moves when it comes.
        bar = self._area.verticalScrollBar().sizeHint().width() if maximum else 0
        self._rows.setContentsMargins(theme.L, theme.L, max(0, theme.L - bar), theme.L)

    def _on_bounded_clicked(self, bounded: bool) -> None:
        self.set_bounded(bounded)
        self.bounded_toggled.emit(bounded)
