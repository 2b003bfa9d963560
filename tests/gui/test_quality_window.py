"""The charts over budgets: where points stand, and what is drawn."""

import math

import pytest

from app.models.budget_point import BudgetPoint
from app.widgets import theme
from app.widgets.quality_window import QualityWindow

POINTS = [
    BudgetPoint(64, 0.50, 2.0, 0.6),
    BudgetPoint(256, 0.75, 1.5, 0.2, is_present=True),
    BudgetPoint(512, 1.00, 1.0, 0.0),
]


@pytest.fixture
def window(qtbot):
    window = QualityWindow()
    qtbot.addWidget(window)
    window.show_result("Measured on the last 64 tokens of this chat", POINTS)
    window.bring_to_front()
    qtbot.waitExposed(window)
    return window


def test_points_stand_by_the_logarithm_of_the_budget_and_by_value(window) -> None:
    low, middle, high = window.perplexity.points()
    share = (middle.x() - low.x()) / (high.x() - low.x())
    assert share == pytest.approx(math.log(256 / 64) / math.log(512 / 64))
    assert middle.y() == pytest.approx((low.y() + high.y()) / 2)
    assert low.y() < high.y() == window.perplexity.full_y()
    assert window.agreement.points()[0].y() > window.agreement.full_y()


def test_only_the_budget_in_use_is_filled(window) -> None:
    chart = window.perplexity
    picture = chart.grab().toImage()
    scale = picture.devicePixelRatio()
    colours = theme.colours(chart.palette())
    inside = [
        picture.pixelColor(round(p.x() * scale), round(p.y() * scale)).rgb() for p in chart.points()
    ]
    assert inside == [colours.base.rgb(), colours.accent.rgb(), colours.base.rgb()]


def test_one_budget_stands_in_the_middle(qtbot, window) -> None:
    window.show_result("Measured", POINTS[-1:])
    chart = window.agreement
    assert chart.points()[0].x() == pytest.approx(chart.width() / 2)
    assert chart.accessibleDescription() == "512: 100%"


def test_labels_of_points_stay_inside(window) -> None:
    chart = window.perplexity
    for point in chart.points():
        assert point.y() - 4 - chart.fontMetrics().lineSpacing() >= 0
        assert 4 <= point.x() <= chart.width() - 4
