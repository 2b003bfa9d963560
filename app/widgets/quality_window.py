"""What budgets cost in quality, measured on one chat: two small charts and the figures in words."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.models.budget_point import BudgetPoint
from app.models.formats import format_count
from app.widgets import theme
from app.widgets.budget_chart import BudgetChart
from app.widgets.labels import QuietLabel
from app.widgets.pane import Hairline, Pane

_SIZE = (680, 380)


class QualityWindow(Pane):
    """Shows one result at a time; not modal, closed with Esc."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("base", (), parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Quality"))
        self.resize(*_SIZE)
        self.heading = QLabel(self)
        self.heading.setTextFormat(Qt.TextFormat.PlainText)
        self.heading.setWordWrap(True)
        theme.set_font(self.heading, weight=QFont.Weight.DemiBold)
        self.perplexity = BudgetChart(self.tr("Perplexity, as a multiple of the full cache's"), 1.0)
        self.agreement = BudgetChart(self.tr("Likeliest token the same as the full cache's"), 1.0)
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setWordWrap(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._build()
        for key in (QKeySequence.StandardKey.Close, QKeySequence.StandardKey.Cancel):
            QShortcut(QKeySequence(key), self, self.close)

    def show_result(self, heading: str, points: Sequence[BudgetPoint]) -> None:
        """Show what was measured, one point a budget in rising order."""
        self.heading.setText(heading)
        budgets = [point.budget for point in points]
        present = next((i for i, point in enumerate(points) if point.is_present), -1)
        ratios = [point.perplexity_ratio for point in points]
        shares = [point.agreement for point in points]
        self.perplexity.show_points(budgets, ratios, [f"{r:.2f}×" for r in ratios], present)
        self.agreement.show_points(budgets, shares, [f"{s:.0%}" for s in shares], present)
        self.text.setText("\n".join(self._line(point) for point in points))
        self.text.setAccessibleName(self.tr("Figures"))

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        self.show()
        self.raise_()
        self.activateWindow()

    def _line(self, point: BudgetPoint) -> str:
        text = self.tr(
            "Budget {budget}{in_use}: {percent} % of the likeliest tokens the same, "
            "perplexity {ratio}×, mean KL {kl} nats"
        )
        return text.format(
            budget=format_count(point.budget),
            in_use=self.tr(" (in use)") if point.is_present else "",
            percent=round(100 * point.agreement),
            ratio=f"{point.perplexity_ratio:.2f}",
            kl=f"{point.mean_kl:.3f}",
        )

    def _build(self) -> None:
        charts = QHBoxLayout()
        charts.setSpacing(theme.XL)
        for chart in (self.perplexity, self.agreement):
            column = QVBoxLayout()
            column.setSpacing(theme.S)
            column.addWidget(QuietLabel(chart.accessibleName(), self, theme.SMALL_SIZE))
            column.addWidget(chart)
            charts.addLayout(column, 1)
        legend = self.tr("Dashed: the full cache. Filled: the budget in use.")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(theme.XL, theme.L, theme.XL, theme.L)
        rows.setSpacing(theme.M)
        rows.addWidget(self.heading)
        rows.addLayout(charts)
        rows.addWidget(QuietLabel(legend, self, theme.SMALL_SIZE))
        rows.addWidget(Hairline(self))
        rows.addWidget(self.text)
        rows.addStretch(1)
