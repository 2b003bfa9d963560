"""The memory panel words what was measured and tells what was asked for."""

import pytest

from app.models.memory_view import MemoryView
from app.models.sampling_view import SamplingView
from app.widgets.memory_panel import MemoryPanel
from app.widgets.sampling_form import SamplingForm

VIEW = MemoryView(56_000_000, 201_500_000, 512, 1842, 3.6, 1_940_000_000, 16 * 1024**3)


@pytest.fixture
def panel(qtbot):
    widget = MemoryPanel()
    qtbot.addWidget(widget)
    return widget


def test_figures_are_worded_with_units(panel):
    panel.show_memory(VIEW)
    assert panel.figures.values() == [
        "56.0 MB",
        "201.5 MB",
        "512 / 1,842",
        "1.94 GB of 16 GB",
    ]
    assert panel.gauge.text() == "3.6×"


def test_unknown_memory_is_not_made_up(panel):
    panel.show_memory(MemoryView())
    assert panel.figures.values()[3] == "–"
    assert panel.gauge.ratio() is None


def test_switch_to_the_full_cache_disables_the_sliders(panel, qtbot):
    with qtbot.waitSignal(panel.bounded_toggled) as told:
        panel.bounded.click()
    assert told.args == [False]
    assert not panel.budget.isEnabled()
    assert not panel.sinks.isEnabled()


def test_sliders_tell_their_values(panel, qtbot):
    with qtbot.waitSignal(panel.budget_changed) as told:
        panel.budget.slider.setValue(panel.budget.position_of(256))
    assert told.args == [256]
    with qtbot.waitSignal(panel.sinks_changed) as told:
        panel.sinks.slider.setValue(8)
    assert told.args == [8]


def test_sampling_values_go_in_and_out_unchanged(qtbot):
    form = SamplingForm()
    qtbot.addWidget(form)
    view = SamplingView(0.2, 0.9, 40, 0.05, 1.1, 7, 300, ("###", "END"))
    with qtbot.assertNotEmitted(form.sampling_changed):
        form.set_sampling(view)
    assert form.sampling() == view
    form.set_sampling(SamplingView())
    assert form.sampling() == SamplingView()


def test_an_edited_sampling_value_is_told_with_the_others(qtbot):
    form = SamplingForm()
    qtbot.addWidget(form)
    with qtbot.waitSignal(form.sampling_changed) as told:
        form.temperature.setValue(0.0)
    assert told.args == [SamplingView(temperature=0.0)]


def test_nothing_is_cut_off_at_the_usual_width(panel, qtbot):
    panel.resize(295, 700)
    panel.show()
    panel.show_memory(
        MemoryView(11_900_000, 1_005_300_000, 16384, 131072, 8.0, 24_824_800_000, 2**39)
    )
    panel.figures.layout().activate()
    rows = panel.gauge.parentWidget()
    assert rows.minimumSizeHint().width() <= 295
    for widget in (panel.figures, panel.budget, panel.sinks, panel.bounded, panel.remembered):
        right = widget.mapTo(panel, widget.rect().topRight()).x()
        assert right <= 295
