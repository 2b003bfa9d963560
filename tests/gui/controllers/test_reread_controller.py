"""Reading the conversation again: priced, told, stoppable."""

from PySide6.QtWidgets import QMessageBox

from tests.fake_engine import FakeScript


def test_raised_budget_holds_more_after_reading_again(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 100)))
    driver.velox.chat_settings.set("memory.budget", 64)
    driver.ask("Go on")
    values = driver.window.panel.figures.values
    assert values()[2] == "64 / 102"
    driver.velox.chat_settings.set("memory.budget", 256)
    driver.velox.reread.start()
    driver.until(lambda: values()[2] == "102 / 102")
    assert driver.window.banners.message("reread") == ""


def test_reading_again_can_be_stopped(open_velox) -> None:
    script = FakeScript()
    driver = open_velox(script)
    driver.ask("Go on")
    script.prefill_s = 60
    driver.velox.reread.start()
    assert driver.window.banners.message("reread") == "Reading the conversation again: 0 %"
    with driver.qtbot.waitSignal(driver.velox.client.request_stopped, timeout=5000):
        driver.window.banners.banner("reread").action_button.click()
    assert driver.window.banners.message("reread") == ""


def test_question_names_tokens_and_starts_only_when_accepted(open_velox) -> None:
    driver = open_velox(FakeScript(reply=" ".join(["word"] * 100)))
    driver.ask("Go on")
    driver.window.panel.reread.click()
    box = driver.window.findChild(QMessageBox)
    assert box.informativeText().startswith("102 tokens")
    with driver.qtbot.waitSignal(driver.velox.client.conversation_reread, timeout=5000):
        box.button(QMessageBox.StandardButton.Ok).click()


def test_empty_chat_says_why_there_is_nothing_to_read(open_velox) -> None:
    driver = open_velox()
    driver.velox.menus.reread.trigger()
    assert driver.problem == "This chat is empty; send a message first."
