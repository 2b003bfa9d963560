"""What goes wrong is told in the window, in one plain sentence, and chatting goes on."""

import shutil

import pytest
from PySide6.QtCore import QMimeData

from app.controllers.model_controller import ModelState
from app.main import Velox
from tests.gui.event_gap import EventGap

pytestmark = [pytest.mark.starter, pytest.mark.alone]


@pytest.fixture
def velox(qtbot, qapp, starter_path):
    velox = Velox(qapp)
    velox.start()
    qtbot.waitUntil(lambda: velox.models.state is ModelState.READY, timeout=60_000)
    yield velox
    assert velox.close()
    velox.window.deleteLater()


def is_plain(sentence):
    """One or two sentences for a person: nothing of a traceback in them."""
    words = ("Traceback", "Error:", "Exception", "  File ", "0x")
    return sentence.endswith(".") and len(sentence) < 300 and not any(w in sentence for w in words)


def wait_for_problem(qtbot, velox):
    qtbot.waitUntil(lambda: velox.window.banners.message("problem") != "", timeout=60_000)
    return velox.window.banners.message("problem")


def test_a_folder_that_is_no_model_is_told(qtbot, velox, tmp_path):
    velox.models.load(str(tmp_path))
    assert is_plain(wait_for_problem(qtbot, velox))
    assert velox.models.state is ModelState.NONE
    assert velox.window.toolbar.model_button.text() == "No model"


def test_a_model_cut_in_half_is_told_and_the_starter_still_loads(
    qtbot, velox, tmp_path, starter_path
):
    half = tmp_path / "half"
    shutil.copytree(starter_path, half)
    weights = next(half.glob("*.safetensors"))
    data = weights.read_bytes()
    weights.write_bytes(data[: len(data) // 2])
    velox.models.load(str(half))
    assert is_plain(wait_for_problem(qtbot, velox))
    velox.models.load(str(starter_path))
    qtbot.waitUntil(lambda: velox.models.state is ModelState.READY, timeout=60_000)


def test_an_empty_message_does_nothing(qtbot, velox):
    for text in ("", "   ", "\n\n"):
        velox.window.composer.set_text(text)
        velox.window.composer.send_requested.emit()
    assert velox.window.transcript.message_ids() == []
    assert not velox.client.busy


def test_a_message_of_200000_characters_stalls_nothing_and_can_be_stopped(qtbot, velox):
    text = "The sea is wide and blue. " * 7700
    source = QMimeData()
    source.setText(text)
    with EventGap() as gap:
        velox.window.composer.edit.insertFromMimeData(source)
        with qtbot.waitSignal(velox.client.prefill_progressed, timeout=60_000):
            velox.window.composer.send_button.click()
        with qtbot.waitSignal(velox.replies.ended, timeout=60_000) as ended:
            velox.window.composer.send_button.click()
    record = ended.args[1]
    assert record.state == "stopped"
    assert gap.longest_s < 0.5
    shown = velox.window.transcript
    assert text.strip() in shown.message(shown.message_ids()[0]).text
