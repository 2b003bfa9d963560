import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.storage import ChatStore

TEXTS = (
    "The quick brown fox",
    "Das Straßenfest beginnt; ÄPFEL gibt es auch",
    "明日は東京タワーへ行きます",
    "A 👩‍🚀 rocket 🚀 launch",
    'He said "never again" AND left NOT alone (NEAR the end) col:umn a*',
    "100% of snake_case and C++ / C# it's",
)


@pytest.fixture
def filled(store: ChatStore) -> ChatStore:
    chat = store.create_chat("Notes")
    for text in TEXTS:
        store.add_message(chat.id, "user", text)
    return store


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("QUICK fox", [0]),
        ("quick elephant", []),
        ("uick br", [0]),
        ('"br uick"', []),
        ('"uick br"', [0]),
        ("äpfel", [1]),
        ("東京", [2]),
        ("京", [2]),
        ("東京タワー", [2]),
        ("🚀", [3]),
        ('"never again"', [4]),
        ('"unclosed', []),
        ('never "', [4]),
        ("NOT alone", [4]),
        ("NEAR(", []),
        ("(NEAR", [4]),
        ("a*", [4]),
        ("col:umn", [4]),
        ("100%", [5]),
        ("snake_case", [5]),
        ("C++", [5]),
        ("it's", [5]),
        ("snake-case", []),
        ("   ", []),
    ],
)
def test_search_finds_every_word_whatever_it_contains(filled, query, found) -> None:
    texts = [filled.message(hit.message_id).content for hit in filled.search(query)]
    assert texts == [TEXTS[place] for place in reversed(found)]


def test_snippet_is_one_line_around_the_match(filled) -> None:
    chat = filled.create_chat("Long")
    filled.add_message(chat.id, "user", "word " * 60 + "\n\nthe needle\nis here " + "tail " * 60)
    (hit,) = filled.search("needle here")
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= 122
    assert [hit.snippet[start:end] for start, end in hit.highlights] == ["needle", "here"]
    assert (hit.chat_id, hit.chat_title, hit.role) == (chat.id, "Long", "user")


def test_titles_come_before_messages_and_the_limit_holds(filled) -> None:
    chat = filled.create_chat("Rocket science")
    hits = filled.search("rocket")
    assert [hit.chat_id == chat.id and not hit.message_id for hit in hits] == [True, False]
    assert len(filled.search("rocket", limit=1)) == 1


def test_edited_and_deleted_text_is_no_longer_found(filled) -> None:
    (hit,) = filled.search("quick")
    filled.finish_message(hit.message_id, "slow", ())
    assert filled.search("quick") == ()
    (hit,) = filled.search("slow")
    filled.delete_message(hit.message_id)
    assert filled.search("slow") == ()
    filled.purge_deleted()
    assert filled.search("slow") == ()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(min_size=1, max_size=40), st.text(max_size=20))
def test_any_text_is_found_by_a_piece_of_itself_and_any_query_is_safe(filled, text, query) -> None:
    filled.search(query)
    chat = filled.create_chat()
    message = filled.add_message(chat.id, "user", text)
    words = message.content.replace('"', " ").split()
    for word in words[:3]:
        assert message.id in [hit.message_id for hit in filled.search(word)]
    filled.delete_chat(chat.id)
    filled.purge_deleted()
