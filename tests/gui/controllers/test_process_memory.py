"""The process's memory is measured before there is any reply."""

import psutil
import pytest

from app.models.formats import format_memory, format_process
from velox_core.process_memory import process_nbytes


def shown(driver) -> str:
    return driver.window.panel.figures.values()[3]


def test_memory_is_shown_before_a_model_is_loaded(open_velox) -> None:
    driver = open_velox(wait=False)
    total = format_memory(psutil.virtual_memory().total)
    assert shown(driver).endswith(f" of {total}")
    assert not shown(driver).startswith("–")


def test_memory_is_measured_anew_when_a_model_was_loaded_and_as_time_passes(
    open_velox, monkeypatch
) -> None:
    measured = iter(range(10**9, 10**12, 10**9))
    last = 0

    def measure() -> int:
        nonlocal last
        last = next(measured)
        return last

    monkeypatch.setattr("app.controllers.process_memory.process_nbytes", measure)
    driver = open_velox()
    assert last > 10**9
    assert shown(driver).startswith(format_process(last))
    before = last
    driver.until(lambda: last > before)
    assert shown(driver).startswith(format_process(last))


def test_process_memory_is_what_the_system_counts() -> None:
    assert process_nbytes() == pytest.approx(psutil.Process().memory_info().rss, rel=0.2)
