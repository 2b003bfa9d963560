"""Exporting and importing through the window."""

import json

from tests.fake_engine import FakeScript


def test_exported_chats_can_be_imported_again(open_velox, tmp_path) -> None:
    driver = open_velox(FakeScript(reply="**Bold** words"))
    driver.ask("Tell me about the sea")
    file = tmp_path / "all.json"
    with driver.qtbot.waitSignal(driver.velox.transfer.done, timeout=5000):
        driver.velox.transfer.write_all(file)
    assert len(json.loads(file.read_text())["chats"]) == 1
    with driver.qtbot.waitSignal(driver.velox.transfer.done, timeout=5000) as done:
        driver.velox.transfer.read_file(file)
    assert done.args == ["Imported chats: 1."]
    driver.until(lambda: driver.titles.count("Tell me about the sea") == 2)


def test_chat_is_exported_as_markdown(open_velox, tmp_path) -> None:
    driver = open_velox(FakeScript(reply="**Bold** words"))
    driver.ask("Tell me about the sea")
    file = tmp_path / "sea.md"
    with driver.qtbot.waitSignal(driver.velox.transfer.done, timeout=5000):
        driver.velox.transfer.write_chat(driver.chat_id, file)
    text = file.read_text()
    assert text.startswith("# Tell me about the sea\n")
    assert "## Fake 1B\n\n**Bold** words" in text


def test_broken_file_is_refused_in_plain_words(open_velox, tmp_path) -> None:
    driver = open_velox()
    file = tmp_path / "broken.json"
    file.write_text("{")
    driver.velox.transfer.read_file(file)
    driver.until(lambda: driver.problem == "broken.json is not a JSON file that Velox can read.")
