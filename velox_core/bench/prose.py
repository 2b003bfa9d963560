"""The text that perplexity is measured on."""

import re
import textwrap
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from velox_core.errors import VeloxError


def read_prose(path: Path | None = None) -> str:
    """The text of ``path``, or the prose of the standard library's documentation topics.

    From the topics only whole sentences are taken, also those below the term that they explain: no
    headings, grammars, tables or examples.
    """
    if path is not None:
        return path.read_text(encoding="utf-8")
    paragraphs: list[str] = []
    for name in sorted(topics):
        for paragraph in topics[name].split("\n\n"):
            if _is_prose(paragraph):
                joined = re.sub(r"\s+", " ", paragraph)
                paragraphs.append(re.sub(r'["*`]', "", joined).strip())
    return "\n\n".join(dict.fromkeys(paragraphs))


def _is_prose(paragraph: str) -> bool:
    # What explains a term is indented as a whole; examples and tables are so within.
    lines = textwrap.dedent(paragraph).splitlines()
    is_indented = any(line.startswith("  ") for line in lines)
    words = paragraph.split()
    has_code = "::=" in paragraph or ">>>" in paragraph or "::" in paragraph
    return not is_indented and not has_code and len(words) >= 12 and words[-1][-1] in ".:"


def prose_ids(tokenizer: Any, n_tokens: int, path: Path | None = None) -> list[int]:
    """The first ``n_tokens`` token ids of the text.

    Raises:
        VeloxError: The text is shorter.
    """
    ids: list[int] = tokenizer.encode(read_prose(path), add_special_tokens=False)
    if len(ids) < n_tokens:
        raise VeloxError(
            f"The text has {len(ids):,} tokens and {n_tokens:,} are needed; give a longer one "
            "with --text FILE."
        )
    return ids[:n_tokens]
