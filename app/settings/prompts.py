"""System prompts to choose from: those that come with Velox and a person's own."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.settings.files import read_json, write_json
from app.settings.setting import SettingError

MAX_NAME_CHARS = 80
MAX_TEXT_CHARS = 100_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system prompt with a name; ``is_own`` tells a person's own from those that came along."""

    name: str
    text: str
    is_own: bool = False


class PromptLibrary:
    """The prompts of both kinds; own ones are kept in a file of their own."""

    def __init__(self, built_in_path: Path, own_path: Path) -> None:
        self._own_path = own_path
        self._built_in = _read(built_in_path, is_own=False)
        self._own = _read(own_path, is_own=True)

    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts: own ones by name, then those that came with Velox."""
        return (*sorted(self._own, key=lambda prompt: prompt.name.casefold()), *self._built_in)

    def save(self, name: str, text: str) -> Prompt:
        """Keep a prompt of one's own; one of that name is replaced.

        Raises:
            SettingError: A name or text that cannot be kept, or a file that cannot be written.
        """
        name = " ".join(name.split())
        if not name or len(name) > MAX_NAME_CHARS:
            raise SettingError(f"A prompt needs a name of at most {MAX_NAME_CHARS} characters.")
        if not text.strip() or len(text) > MAX_TEXT_CHARS:
            raise SettingError(f"A prompt needs a text of at most {MAX_TEXT_CHARS:,} characters.")
        if any(prompt.name == name for prompt in self._built_in):
            raise SettingError(f"“{name}” comes with Velox; choose another name.")
        prompt = Prompt(name, text, is_own=True)
        self._write([other for other in self._own if other.name != name] + [prompt])
        return prompt

    def delete(self, name: str) -> None:
        """Forget the own prompt of that name, if there is one.

        Raises:
            SettingError: The file cannot be written.
        """
        self._write([prompt for prompt in self._own if prompt.name != name])

    def _write(self, own: list[Prompt]) -> None:
        try:
            write_json(self._own_path, [{"name": p.name, "text": p.text} for p in own])
        except OSError as error:
            logger.warning("Prompts cannot be saved to %s: %s", self._own_path, error)
            raise SettingError(
                "Your prompts cannot be saved; check that the disk is not full or read-only."
            ) from error
        self._own = own


def _read(path: Path, is_own: bool) -> list[Prompt]:
    stored = read_json(path)
    entries: list[Any] = stored if isinstance(stored, list) else []
    prompts = []
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        text = entry.get("text") if isinstance(entry, dict) else None
        if isinstance(name, str) and isinstance(text, str) and name and len(text) <= MAX_TEXT_CHARS:
            prompts.append(Prompt(name[:MAX_NAME_CHARS], text, is_own))
        else:
            logger.warning("A prompt in %s is ignored: it needs a name and a text", path)
    return prompts
