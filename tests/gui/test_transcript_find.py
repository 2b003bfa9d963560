"""Find goes from place to place, also in messages that are not drawn."""

import pytest

from app.models.message_view import MessageView
from app.widgets.transcript import TranscriptView
from tests.gui.transcript_samples import chat


@pytest.fixture
def view(qtbot):
    view = TranscriptView()
    qtbot.addWidget(view)
    view.resize(748, 500)
    view.set_messages([*chat(200), MessageView("z", "assistant", "NEEDLE one, needle *two*")])
    view.update_message(MessageView("m3", "assistant", "a Needle in the hay " + "x\n\n" * 50))
    view.show()
    qtbot.waitExposed(view)
    return view


def test_places_are_counted_and_visited_in_turn(view):
    assert view.find_text("needle") == (2, 3)
    assert view.find_text("needle") == (3, 3)
    assert view.find_text("needle") == (1, 3)
    assert "m3" in view.visible_message_ids()
    assert view.find_text("needle", forward=False) == (3, 3)
    assert "z" in view.visible_message_ids()


def test_typing_on_stays_at_the_place(view):
    view.find_text("need", restart=True)
    assert view.find_text("needle", restart=True)[0] == 2


def test_nothing_found_is_zero_of_zero(view):
    assert view.find_text("absent") == (0, 0)
    assert view.find_text("") == (0, 0)


def test_special_characters_are_looked_for_as_they_stand(view):
    view.update_message(MessageView("z", "assistant", "f(x) [a-z]* `$`"))
    assert view.find_text("[a-z]*") == (1, 1)
    assert view.find_text("f(x)") == (1, 1)


def test_words_are_found_across_markup_and_line_ends(view):
    view.update_message(MessageView("z", "assistant", "a **bold** word\nand `code` here"))
    assert view.find_text("a bold word and code here") == (1, 1)


def test_found_word_is_painted_and_cleared(view, qtbot):
    view.find_text("needle")
    widget = view.message_widget("z")
    marked = widget.body.grab().toImage()
    view.clear_find()
    assert widget.body.grab().toImage() != marked


def test_found_thought_is_unfolded(view):
    view.update_message(MessageView("z", "assistant", "<think>secret</think>\n\nanswer"))
    assert view.find_text("secret") == (1, 1)
    assert view.message_widget("z").thought_body() is not None
