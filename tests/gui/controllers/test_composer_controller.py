"""Drafts, earlier prompts, attached files and token counts."""

from pathlib import Path

from PySide6.QtCore import Qt

from app.controllers.attached_files import MAX_NBYTES, read_text_files
from tests.fake_engine import FakeScript
from velox_core.engine.events import ReplyRequest


def test_drafts_are_kept_per_chat_and_over_a_restart(open_velox) -> None:
    driver = open_velox()
    driver.ask("First")
    first = driver.chat_id
    driver.window.composer.set_text("half a thought")
    driver.velox.chats.new_chat()
    assert driver.window.composer.text() == ""
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.window.composer.text() == "half a thought")
    assert driver.velox.close()
    again = open_velox()
    again.until(lambda: again.window.composer.text() == "half a thought")


def test_draft_of_a_chat_never_sent_is_there_at_the_next_start(open_velox) -> None:
    driver = open_velox()
    driver.ask("First")
    driver.velox.chats.new_chat()
    driver.window.composer.set_text("never sent,\nin two lines")
    assert driver.velox.close()
    again = open_velox()
    assert again.window.composer.text() == "never sent,\nin two lines"
    again.ask("sent now")
    again.velox.chats.new_chat()
    assert again.window.composer.text() == ""


def test_draft_of_a_new_chat_outlives_a_look_at_another_one(open_velox) -> None:
    driver = open_velox()
    driver.ask("First")
    first = driver.chat_id
    driver.velox.chats.new_chat()
    driver.window.composer.set_text("begun")
    driver.velox.chats.open_chat(first)
    driver.until(lambda: driver.chat_id == first)
    assert driver.window.composer.text() == ""
    assert driver.velox.close()
    again = open_velox()
    again.until(lambda: again.chat_id == first)
    again.velox.chats.new_chat()
    assert again.window.composer.text() == "begun"


def test_words_typed_while_the_last_chat_is_read_go_into_it(open_velox) -> None:
    driver = open_velox()
    driver.ask("First")
    first = driver.chat_id
    driver.window.composer.set_text("half a ")
    assert driver.velox.close()
    again = open_velox(wait=False)
    assert again.chat_id == ""
    again.qtbot.keyClicks(again.window.composer.edit, "thought")
    again.until(lambda: again.chat_id == first)
    again.qtbot.keyClicks(again.window.composer.edit, ".")
    assert again.window.composer.text() == "half a thought."
    again.velox.chats.new_chat()
    assert again.window.composer.text() == ""
    assert again.velox.close()
    third = open_velox()
    assert third.window.composer.text() == ""
    third.velox.chats.open_chat(first)
    third.until(lambda: third.window.composer.text() == "half a thought.")


def test_up_brings_earlier_prompts_back(open_velox) -> None:
    first = open_velox()
    first.ask("An old question")
    assert first.velox.close()
    driver = open_velox()
    driver.velox.chats.new_chat()
    driver.ask("A new question")
    edit = driver.window.composer.edit
    driver.qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "A new question"
    driver.qtbot.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "An old question"


def test_attached_file_goes_along_fenced_under_its_name(open_velox, tmp_path) -> None:
    requests: list[ReplyRequest] = []

    def reply(request: ReplyRequest) -> str:
        requests.append(request)
        return "ok"

    driver = open_velox(FakeScript(reply=reply))
    file = tmp_path / "plan.txt"
    file.write_text("step one")
    driver.window.composer.files_dropped.emit([str(file)])
    driver.ask("What is missing?")
    assert requests[0].turns[-1].content == "plan.txt:\n```\nstep one\n```\n\nWhat is missing?"


def test_count_is_called_an_estimate_without_a_tokenizer(open_velox) -> None:
    driver = open_velox()
    driver.window.composer.set_text("x" * 400)
    driver.until(lambda: driver.window.composer.counts() == "about 100 in this message")
    driver.window.composer.set_text("")
    driver.until(lambda: driver.window.composer.counts() == "")


def test_what_the_cache_holds_is_told_at_once_however_often_it_changes(open_velox) -> None:
    composer = (driver := open_velox()).window.composer
    driver.velox.composer.set_cache_text("10 seen · 8 kept")
    assert composer.counts() == "10 seen · 8 kept"
    composer.set_text("x" * 400)
    driver.until(lambda: composer.counts() == "10 seen · 8 kept · about 100 in this message")
    driver.velox.composer.set_cache_text("11 seen · 8 kept")
    assert composer.counts() == "11 seen · 8 kept · about 100 in this message"


def test_files_that_are_no_text_are_refused_in_plain_words(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\0\0")
    large = tmp_path / "b.txt"
    large.write_bytes(b"x" * (MAX_NBYTES + 1))
    latin = tmp_path / "c.txt"
    latin.write_bytes("Käse".encode("cp1252"))
    wide = tmp_path / "d.txt"
    wide.write_text("weit", encoding="utf-16")
    paths = [picture, large, tmp_path, tmp_path / "gone.txt", latin, wide]
    texts, refused = read_text_files(paths)
    assert texts == [("c.txt", "Käse"), ("d.txt", "weit")]
    assert refused == [
        "a.png is not a text file.",
        "b.txt is larger than 4 MB; attach a part of it.",
        f"{tmp_path.name} is a folder; attach files.",
        "gone.txt is not a file.",
    ]
