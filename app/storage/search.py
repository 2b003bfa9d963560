"""Full-text search over all chats."""

import re
import sqlite3
from collections.abc import Sequence

from app.storage.text import clean, one_line
from app.storage.types import SearchHit

SNIPPET_CHARS = 120
_BEFORE_MATCH = 40
_MAX_WORDS = 12
_TRIGRAM = 3


def search(connection: sqlite3.Connection, query: str, limit: int = 100) -> tuple[SearchHit, ...]:
    """Chats whose title, and messages whose text, hold every word of ``query``.

    Any text is a query: nothing in it is an operator. A piece between double quotes is one word,
    blanks included. Case does not count. Titles come first, then the newest messages first; all
    versions of messages are searched.
    """
    words = words_of(query)
    if not words:
        return ()
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    connection.create_function(
        "holds_all",
        1,
        lambda text: all(pattern.search(text) for pattern in patterns),
        deterministic=True,
    )
    titles = connection.execute(
        """SELECT id, title, '', 'user', title, updated_at FROM chats
           WHERE deleted_at IS NULL AND holds_all(title) ORDER BY updated_at DESC LIMIT ?""",
        (limit,),
    ).fetchall()
    found = titles + _find_messages(connection, words, limit - len(titles))
    return tuple(_hit(row, words) for row in found)


def words_of(query: str) -> list[str]:
    """The words to look for: quoted pieces and what stands between blanks."""
    pieces = re.findall(r'"([^"]*)"|([^\s"]+)', clean(query)[:1000])
    words = [(quoted or plain).strip() for quoted, plain in pieces]
    return list(dict.fromkeys(word for word in words if word))[:_MAX_WORDS]


def _find_messages(
    connection: sqlite3.Connection, words: Sequence[str], limit: int
) -> list[tuple[str, str, str, str, str, float]]:
    # The index knows no word below three characters (most CJK words, an emoji): those are looked
    # for in the texts themselves. A reply still being written is not in the index either.
    indexed = [word for word in words if len(word) >= _TRIGRAM]
    clause, values = "", []
    if indexed:
        clause = """AND (m.state = 'partial' OR m.seq IN
            (SELECT rowid FROM message_index WHERE message_index MATCH ?))"""
        values = [" AND ".join('"' + word.replace('"', '""') + '"' for word in indexed)]
    return connection.execute(
        f"""SELECT m.chat_id, chats.title, m.id, m.role, m.content, m.created_at
            FROM messages AS m JOIN chats ON chats.id = m.chat_id
            WHERE m.deleted_at IS NULL AND chats.deleted_at IS NULL {clause}
            AND holds_all(m.content) ORDER BY m.seq DESC LIMIT ?""",
        (*values, limit),
    ).fetchall()


def _hit(row: tuple[str, str, str, str, str, float], words: Sequence[str]) -> SearchHit:
    chat_id, title, message_id, role, text, created_at = row
    any_word = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    match = any_word.search(text)
    start = max(0, match.start() - _BEFORE_MATCH) if match else 0
    piece = one_line(text[start : start + SNIPPET_CHARS * 2], SNIPPET_CHARS)
    snippet = "…" + piece if start else piece
    highlights = tuple(found.span() for found in any_word.finditer(snippet))
    return SearchHit(chat_id, title, message_id, role, snippet, highlights, created_at)  # type: ignore[arg-type]
