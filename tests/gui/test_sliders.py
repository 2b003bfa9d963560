"""Budget and sinks: what a slider position means, and what typing does."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt

from app.widgets.budget_slider import BudgetSlider
from app.widgets.toggle_switch import ToggleSwitch
from app.widgets.value_slider import ValueSlider


@pytest.fixture
def budget(qtbot):
    slider = BudgetSlider("Budget")
    qtbot.addWidget(slider)
    slider.set_range(64, 32768)
    return slider


def test_each_octave_takes_the_same_way(budget):
    steps = [budget.position_of(v) for v in (64, 128, 256, 512, 1024)]
    assert [b - a for a, b in pairwise(steps)] == [100] * 4
    assert (budget.slider.minimum(), budget.slider.maximum()) == (600, 1500)


@pytest.mark.parametrize("value", [64, 96, 512, 2048, 3072, 32768])
def test_a_round_budget_survives_the_way_to_the_slider_and_back(budget, value):
    assert budget.value_at(budget.position_of(value)) == value


def test_moving_the_slider_tells_round_values_inside_the_range(budget, qtbot):
    told = []
    budget.value_changed.connect(told.append)
    for position in range(600, 1501, 7):
        budget.slider.setValue(position)
    assert told == sorted(set(told))
    assert told[0] > 64
    assert budget.box.text() == str(told[-1])
    assert all(64 <= value <= 32768 for value in told)


def test_typing_is_taken_exactly_and_kept_inside_the_range(budget, qtbot):
    with qtbot.waitSignal(budget.value_changed) as told:
        budget.box.setText("777")
        qtbot.keyClick(budget.box, Qt.Key.Key_Return)
    assert told.args == [777]
    budget.box.setText("3")
    qtbot.keyClick(budget.box, Qt.Key.Key_Return)
    assert budget.value() == 64


def test_setting_the_value_tells_nothing(budget, qtbot):
    with qtbot.assertNotEmitted(budget.value_changed):
        budget.set_value(1024)
    assert budget.value() == 1024


def test_suggestion_is_marked_where_its_value_is(budget):
    budget.set_suggested(2048, "because")
    budget.resize(263, 80)
    budget.slider.resize(263, 22)
    share = (budget.slider.mark_x() - 9) / (263 - 18)
    assert share == pytest.approx(5 / 9, abs=0.01)
    assert budget.slider.toolTip() == "because"


def test_a_model_with_a_smaller_window_lowers_the_value(budget):
    budget.set_value(16384)
    budget.set_range(64, 8192)
    assert budget.value() == 8192


def test_arrow_keys_change_sinks_by_one(qtbot):
    sinks = ValueSlider("Sinks", 0, 64)
    qtbot.addWidget(sinks)
    sinks.set_value(4)
    with qtbot.waitSignal(sinks.value_changed) as told:
        qtbot.keyClick(sinks.slider, Qt.Key.Key_Right)
    assert told.args == [5]


def test_toggle_switch_answers_to_the_space_bar(qtbot):
    switch = ToggleSwitch("Show what is remembered")
    qtbot.addWidget(switch)
    with qtbot.waitSignal(switch.clicked):
        qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert switch.isChecked()


@pytest.mark.parametrize(
    "direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]
)
def test_ends_of_the_scale_are_named_at_their_own_sides(budget, qapp, request, direction):
    before = qapp.layoutDirection()
    request.addfinalizer(lambda: qapp.setLayoutDirection(before))
    qapp.setLayoutDirection(direction)
    budget.set_range(64, 131072)  # "64" and, with more ink, "128k"
    budget.resize(260, 80)
    budget.show()
    image = budget.grab().toImage()
    top = image.height() - round(budget.layout().itemAt(2).widget().height())
    ground = image.pixel(image.width() // 2, top + 2)
    ink = [
        sum(image.pixel(x, y) != ground for x in side for y in range(top, image.height()))
        for side in (range(image.width() // 2), range(image.width() // 2, image.width()))
    ]
    low_is_left = direction == Qt.LayoutDirection.LeftToRight
    assert (ink[0] < ink[1]) == low_is_left
    assert min(ink) > 0
