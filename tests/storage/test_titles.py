import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.storage.titles import AUTO_TITLE_CHARS, title_from_exchange


@pytest.mark.parametrize(
    ("user", "reply", "title"),
    [
        ("Plan a trip to Lisbon. We are vegetarians.", "", "Plan a trip to Lisbon"),
        ("How do I sort a list in Python?", "", "How do I sort a list in Python?"),
        ("Is 3.5 larger than 3.14? Explain", "", "Is 3.5 larger than 3.14?"),
        ("hi", "**Hello there!** How can I help?", "Hello there"),
        ("hi", "", "hi"),
        ("ok", "<think>What could they mean</think>\nNoted, thanks.", "Noted, thanks"),
        ("```python\nprint(1)\n```", "# Printing a number\n\nIt prints.", "Printing a number"),
        ("```python\nprint(1)\n```\nWhat does this do?", "", "What does this do?"),
        ("- [ ] see [the long docs](https://example.org) now", "", "[ ] see the long docs now"),
        ("東京はどこ？教えて", "", "東京はどこ？"),
        ("明日は東京タワーへ行きますか。はい。", "", "明日は東京タワーへ行きますか"),
        ("???", "", "???"),
        ("", "", ""),
        (" \n ", "", ""),
        (
            "Write a very long and winding question about many different things at once",
            "",
            "Write a very long and winding question about…",
        ),
        ("x" * 100, "", "x" * 47 + "…"),
    ],
)
def test_title_is_the_first_telling_sentence(user, reply, title) -> None:
    assert title_from_exchange(user, reply) == title


@given(st.text(), st.text())
def test_title_is_always_one_short_line(user, reply) -> None:
    title = title_from_exchange(user, reply)
    assert len(title) <= AUTO_TITLE_CHARS
    assert "\n" not in title
    assert title == title.strip()
