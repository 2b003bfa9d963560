"""The composer sends when it should and only then."""

import time

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication

from app.models.attachment import Attachment, message_text
from app.widgets.composer import Composer
from app.widgets.composer_edit import LARGEST_PASTE


@pytest.fixture
def composer(qtbot):
    widget = Composer()
    qtbot.addWidget(widget)
    widget.resize(700, 120)
    widget.show()
    return widget


def test_return_sends_and_shift_return_breaks_the_line(composer, qtbot):
    qtbot.keyClicks(composer.edit, "one")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.edit, "two")
    with qtbot.waitSignal(composer.send_requested):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert composer.text() == "one\ntwo"


def test_return_never_sends_while_an_input_method_composes(composer, qtbot):
    QApplication.sendEvent(composer.edit, QInputMethodEvent("にほ", []))
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(composer.edit, commit)
    with qtbot.waitSignal(composer.send_requested):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)
    assert composer.text() == "日本"


def test_field_grows_with_its_text_up_to_a_limit(composer):
    one = composer.edit.height()
    composer.set_text("a\nb\nc")
    three = composer.edit.height()
    composer.set_text("\n".join("x" * 100))
    most = composer.edit.height()
    assert one < three < most < 14 * one


@pytest.mark.parametrize(
    ("width", "left", "right"), [(400, 12, 387), (600, 40, 559), (1600, 466, 1133)]
)
def test_field_stands_under_the_column_of_the_transcript(composer, width, left, right):
    composer.resize(width, 120)
    field = composer.edit.parentWidget().geometry()
    assert (field.left(), field.right()) == (left, right)


def test_paste_is_plain_text(composer):
    source = QMimeData()
    source.setHtml("<b>bold</b>")
    source.setText("bold")
    composer.edit.insertFromMimeData(source)
    assert composer.text() == "bold"


@pytest.mark.alone
def test_huge_paste_becomes_an_attachment_at_once(composer, qtbot):
    source = QMimeData()
    source.setText("x" * 200_000)
    started = time.perf_counter()
    with qtbot.waitSignal(composer.text_pasted) as told:
        composer.edit.insertFromMimeData(source)
    composer.set_attachments([Attachment("Pasted text", told.args[0], 50_000)])
    QApplication.processEvents()
    assert time.perf_counter() - started < 0.5
    assert composer.text() == ""
    assert composer.attachments.texts() == ["Pasted text, ≈ 50,000 tokens"]


@pytest.mark.alone
def test_largest_paste_that_stays_in_the_field_is_quick(composer):
    source = QMimeData()
    source.setText("x" * LARGEST_PASTE)
    started = time.perf_counter()
    composer.edit.insertFromMimeData(source)
    QApplication.processEvents()
    assert time.perf_counter() - started < 0.5
    assert len(composer.text()) == LARGEST_PASTE


def test_dropped_files_are_told_by_path(composer, qtbot, tmp_path):
    source = QMimeData()
    source.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt"))])
    with qtbot.waitSignal(composer.files_dropped) as told:
        composer.edit.insertFromMimeData(source)
    assert told.args == [[str(tmp_path / "a.txt")]]


def test_up_in_an_empty_field_walks_through_earlier_prompts(composer, qtbot):
    composer.edit.set_history(["first", "second"])
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(composer.edit, key)
        seen.append(composer.text())
    assert seen == ["second", "first", "first", "second", ""]


def test_up_in_a_text_of_ones_own_moves_the_cursor(composer, qtbot):
    composer.edit.set_history(["first"])
    composer.set_text("mine")
    qtbot.keyClick(composer.edit, Qt.Key.Key_Up)
    assert composer.text() == "mine"


def test_button_stops_while_busy_and_sends_otherwise(composer, qtbot):
    assert not composer.send_button.isEnabled()
    composer.set_text("hello")
    with qtbot.waitSignal(composer.send_requested):
        composer.send_button.click()
    composer.set_busy(True)
    with qtbot.waitSignal(composer.stop_requested):
        composer.send_button.click()
    with qtbot.waitSignal(composer.stop_requested):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Escape)
    with qtbot.assertNotEmitted(composer.send_requested):
        qtbot.keyClick(composer.edit, Qt.Key.Key_Return)


def test_attachments_come_before_the_text_in_fences_of_their_own():
    text = message_text("Why?", [Attachment("a.md", "```\nx\n```\n", 5)])
    assert text == "a.md:\n````\n```\nx\n```\n````\n\nWhy?"


def test_hint_tells_the_keys(composer, qtbot):
    qtbot.waitUntil(lambda: composer.keys_hint() == "⏎ send · ⇧⏎ new line · Esc stop")
    composer.set_sends_with_command(True)
    assert composer.keys_hint().endswith("⏎ send · ⏎ new line · Esc stop")


def test_placeholder_is_cut_and_not_broken_in_a_narrow_field(composer, qtbot):
    composer.show()
    composer.resize(600, 100)
    assert composer.edit.placeholderText() == "Message the model…"
    composer.edit.setMaximumWidth(90)
    qtbot.waitUntil(lambda: composer.edit.width() <= 90)
    shown = composer.edit.placeholderText()
    assert shown.endswith("…") and len(shown) < len("Message the model…")
    assert composer.edit.fontMetrics().horizontalAdvance(shown) <= composer.edit.width()
