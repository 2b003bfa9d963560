"""The time line of a conversation, and what is saved of it."""

import csv

from PySide6.QtGui import QImage


def test_time_line_marks_each_turn_and_comes_back_with_the_chat(open_velox):
    driver = open_velox()
    line = driver.window.panel.timeline
    driver.ask("One two three")
    driver.ask("Four five six seven")
    turns, _ = line.marks()
    assert len(turns) == 2
    seen = line.samples()[-1].tokens_seen
    chat_id = driver.chat_id
    driver.velox.chats.new_chat()
    assert line.samples() == []
    driver.velox.chats.open_chat(chat_id)
    driver.until(line.samples)
    assert line.samples()[-1].tokens_seen == seen
    assert len(line.marks()[0]) == 2


def test_picture_and_values_are_written(open_velox, tmp_path):
    driver = open_velox()
    driver.ask("One two three")
    driver.velox.timeline.write_picture(tmp_path / "line.png")
    driver.velox.timeline.write_values(tmp_path / "line.csv")
    picture = QImage(str(tmp_path / "line.png"))
    assert picture.width() == 4 * driver.window.panel.timeline.width()
    rows = list(csv.DictReader((tmp_path / "line.csv").open()))
    assert int(rows[-1]["tokens_seen"]) == driver.window.panel.timeline.samples()[-1].tokens_seen
    assert driver.window.banners.message("news").endswith("line.csv.")


def test_a_place_that_cannot_be_written_is_told(open_velox, tmp_path):
    driver = open_velox()
    driver.ask("One")
    driver.velox.timeline.write_values(tmp_path / "missing" / "line.csv")
    assert driver.problem == "line.csv could not be written; choose another place."
