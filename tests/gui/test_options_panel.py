"""Sampling and system prompt of the open chat, and the suggested budget."""

import dataclasses

import pytest

from app.controllers.chat_settings import ChatSettings
from app.controllers.options_controller import OptionsController
from app.controllers.suggested_budget import suggest_budget
from app.settings.prompts import PromptLibrary
from app.settings.store import SettingsStore
from app.widgets.memory_panel import MemoryPanel
from tests.fake_engine import FAKE_INFO
from velox_core.paths import resources_dir


class _Desk:
    """No store: nothing is saved before a chat has an id."""

    def run(self, job, then=None, failed=None):
        raise AssertionError("a chat that is not saved was written")


@pytest.fixture
def settings(qtbot, tmp_path):
    return ChatSettings(SettingsStore(tmp_path / "settings.json"), _Desk())


@pytest.fixture
def panel(qtbot):
    widget = MemoryPanel()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def options(panel, settings, tmp_path):
    library = PromptLibrary(resources_dir() / "prompts.json", tmp_path / "prompts.json")
    return OptionsController(panel, settings, library, panel)


def test_edited_values_hold_for_the_next_reply(options, settings):
    options.form.temperature.setValue(0.0)
    options.form.seed.setValue(7)
    options.form.stop.setText("END, ###")
    options.form.stop.editingFinished.emit()
    options.editor.edit.setPlainText("Answer in verse.")
    plan = settings.plan()
    assert (plan.sampling.temperature, plan.sampling.seed) == (0.0, 7)
    assert tuple(plan.sampling.stop) == ("END", "###")
    assert plan.system_prompt == "Answer in verse."


def test_another_chat_shows_its_own_values(options, settings):
    options.editor.edit.setPlainText("Answer in verse.")
    settings.open_chat("", {"sampling.top_k": 40})
    assert options.editor.prompt() == ""
    assert options.form.top_k.value() == 40
    assert settings.own == {"sampling.top_k": 40}


def test_all_sampling_fields_end_at_the_same_edge(options, panel):
    form = options.form
    form.more.setChecked(True)
    panel.resize(295, 900)
    panel.show()
    fields = (form.temperature, form.top_p, form.max_tokens, form.top_k, form.seed, form.stop)
    assert {field.geometry().right() for field in fields} == {form.rect().right()}


def test_presets_are_offered_saved_and_deleted(options):
    options.editor.save_requested.emit("Mine", "Be brief.")
    options.editor.menu.aboutToShow.emit()
    names = [action.text() for action in options.editor.menu.actions()]
    assert names[0] == "Mine"
    assert "Programmer" in names
    options.editor.menu.actions()[0].trigger()
    assert options.editor.prompt() == "Be brief."
    options.editor.delete_requested.emit("Mine")
    options.editor.menu.aboutToShow.emit()
    assert options.editor.menu.actions()[0].text() != "Mine"


def test_a_preset_that_cannot_be_kept_is_told_in_a_sentence(options, qtbot):
    with qtbot.waitSignal(options.problem) as told:
        options.editor.save_requested.emit("Programmer", "Mine.")
    assert told.args[0].startswith("“Programmer” comes with Velox")


@pytest.mark.parametrize(
    ("total_gb", "window", "expected"),
    [
        (16, 8192, (512, 2048, 8192)),
        (16, 131_072, (8192, 32_768, 131_072)),
        (0.001, 8192, (64, 64, 64)),
        (16, 100, (64, 64, 64)),
        (16, 40, (40, 40, 40)),
    ],
)
def test_suggested_budget_fits_memory_and_window(total_gb, window, expected):
    info = dataclasses.replace(FAKE_INFO, context_window=window, bytes_per_token=20_000)
    found = suggest_budget(info, int(total_gb * 2**30))
    assert (found.lowest, found.budget, found.highest) == expected
    assert f"{found.budget:,} tokens" in found.why
    assert f"From {found.lowest:,} to {found.highest:,} tokens" in found.why
    assert "estimate" in found.why


def test_suggested_budget_counts_from_the_measured_working_set():
    info = dataclasses.replace(
        FAKE_INFO,
        context_window=131_072,
        bytes_per_token=100_000,
        working_set_nbytes=12_000_000_000,
    )
    found = suggest_budget(info, 16 << 30)
    # 12 GB less a fifth and the weights: a tenth of 9.6 GB is 9,598 tokens.
    assert found.budget == 8192
    assert "lets a model use" in found.why
