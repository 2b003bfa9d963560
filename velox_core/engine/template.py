"""A conversation rendered by the model's chat template, as token ids.

The template sees placeholders instead of contents. So its own text alone is read for control
tokens, contents are encoded as plain text, and replies keep the ids that were generated.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from velox_core.engine.encoder import Encoder
from velox_core.engine.events import Turn
from velox_core.engine.prompt_builder import Piece, PromptBuilder, Rendered
from velox_core.engine.token_ranges import TokenRanges
from velox_core.errors import ModelError

logger = logging.getLogger(__name__)

_HOLDER = re.compile(r"vx7Kq(\d+)Zp")
_THINK_TAGS = re.compile(r"(<think>|</think>)")
# Some templates open the thought themselves; its tag is then shown, though it was not generated.
THOUGHT_START = "<think>\n"
# A stop string hides the end of a reply, so its ids may say a little more than its text.
_HIDDEN_TAIL = 64

PLAIN_NOTICE = (
    "This model has no usable chat template, so a plain format is used; answers may be worse."
)
_PLAIN_ROLES = {"system": "System", "user": "User", "assistant": "Assistant"}


class ChatTemplate:
    """Renders turns for one tokenizer; what its template can do is tried out when this is built."""

    def __init__(self, tokenizer: Any) -> None:
        """Probe the template.

        Args:
            tokenizer: mlx-lm's ``TokenizerWrapper``.
        """
        self._tokenizer = tokenizer
        self.encoder = Encoder(tokenizer._tokenizer)
        self._ranges = TokenRanges(tokenizer)
        self._verified: dict[tuple[int, ...], str] = {}
        self._folds_system = False
        self.plain = False
        self.plain = not self._probe()
        self.reply_prefix = THOUGHT_START if self._opens_thought() else ""
        self.stop_strings: tuple[str, ...] = ("\nUser:",) if self.plain else ()

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about this template."""
        return (PLAIN_NOTICE,) if self.plain else ()

    def end_of_reply_ids(self) -> set[int]:
        """The control token that the template puts behind a reply, if it does."""
        if self.plain:
            return set()
        turns = [Turn("user", "a"), Turn("assistant", "b"), Turn("user", "c")]
        text, _ = self._render_text(turns, generate=False)
        tail = text.partition(_holder(1))[2]
        control_id = next(iter(self.encoder.split_controls(tail.lstrip())), ("", None))[1]
        return set() if control_id is None else {control_id}

    def render(self, turns: Sequence[Turn]) -> Rendered:
        """The prompt for the next reply, or for going on with the reply that is the last turn.

        Raises:
            ModelError: When the template refuses these turns.
        """
        continued = turns[-1] if turns and turns[-1].role == "assistant" else None
        history = list(turns[:-1] if continued else turns)
        try:
            text, pieces = self._render_text(history, generate=True)
        except Exception as error:
            logger.exception("the chat template failed")
            raise ModelError(
                "This model's chat template cannot write this conversation; start a new chat "
                "or choose another model."
            ) from error
        builder = PromptBuilder(self.encoder)
        self._build(builder, text, pieces)
        builder.begin_reply()
        if continued is not None:
            self._build_continued(builder, len(history), continued)
        return builder.finish()

    def _build(self, builder: PromptBuilder, text: str, pieces: list[Piece]) -> None:
        """Put the pieces where the template left their placeholders."""
        matches = {int(match.group(1)): match for match in _HOLDER.finditer(text)}
        position = 0
        for index, match in sorted(matches.items(), key=lambda item: item[1].start()):
            if match.start() < position:
                continue  # covered by the reply's ids
            builder.add_template_text(text[position : match.start()])
            position = match.end()
            piece = pieces[index]
            covered = range(index + 1, index + 1 + piece.n_covered)
            if not piece.n_covered:
                builder.add_piece(piece)
            elif all(number in matches for number in covered):
                builder.add_piece(piece)
                position = matches[covered[-1]].end()
        builder.add_template_text(text[position:])

    def _build_continued(self, builder: PromptBuilder, index: int, turn: Turn) -> None:
        """Append the reply that is to be continued, as it stood."""
        ids = self._generated_ids(turn)
        if ids:
            builder.add_piece(self._reply_piece(index, turn, ids))
            return
        position = 0
        for part in _THINK_TAGS.split(turn.content):
            if _THINK_TAGS.fullmatch(part):
                builder.add_template_text(part)
            elif part:
                builder.add_piece(Piece(index, part, position))
            position += len(part)

    def _probe(self) -> bool:
        """Whether the template works; finds out how it takes a system message."""
        if not self._tokenizer.has_chat_template:
            return False
        turns = [
            Turn("system", "s"),
            Turn("user", "a"),
            Turn("assistant", "b"),
            Turn("user", "c"),
        ]
        for folds_system in (False, True):
            self._folds_system = folds_system
            try:
                text, pieces = self._render_text(turns, generate=True)
            except Exception as error:
                logger.info("chat template probe: %s", error)
                continue
            if [int(match) for match in _HOLDER.findall(text)] == list(range(len(pieces))):
                return True
        self._folds_system = False
        return False

    def _opens_thought(self) -> bool:
        text, _ = self._render_text([Turn("user", "a")], generate=True)
        return text.rstrip().endswith(THOUGHT_START.strip())

    def _render_text(self, turns: Sequence[Turn], *, generate: bool) -> tuple[str, list[Piece]]:
        """The template's text with placeholders, and the piece each of them stands for."""
        pieces: list[Piece] = []
        messages: list[dict[str, str]] = []
        for index, turn in enumerate(turns):
            role = turn.role
            if role == "system" and self._folds_system:
                role = "user"
            content = self._place(index, turn, pieces)
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += "\n\n" + content
            else:
                messages.append({"role": role, "content": content})
        if self.plain:
            text = "".join(f"{_PLAIN_ROLES[m['role']]}: {m['content']}\n" for m in messages)
            return text + ("Assistant:" if generate else ""), pieces
        text = self._tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=generate
        )
        return text, pieces

    def _place(self, index: int, turn: Turn, pieces: list[Piece]) -> str:
        """Placeholders for the content of a turn, its outer whitespace and think tags kept."""
        if turn.role != "assistant":
            return _place_text(index, turn.content, 0, pieces)
        ids = self._generated_ids(turn)
        if ids and "</think>" not in turn.content:
            pieces.append(self._reply_piece(index, turn, ids))
            return _holder(len(pieces) - 1)
        content, position, first = "", 0, len(pieces)
        if ids:
            pieces.append(self._reply_piece(index, turn, ids))
            content = _holder(first)
        for part in _THINK_TAGS.split(turn.content):
            is_tag = _THINK_TAGS.fullmatch(part) is not None
            content += part if is_tag else _place_text(index, part, position, pieces)
            position += len(part)
        if ids:
            pieces[first] = replace(pieces[first], n_covered=len(pieces) - 1 - first)
        return content

    def _reply_piece(self, index: int, turn: Turn, ids: tuple[int, ...]) -> Piece:
        starts, ends = self.reply_ranges(ids, turn.content)
        return Piece(index, turn.content, 0, ids, starts, ends)

    def reply_ranges(
        self, ids: tuple[int, ...], text: str, *, grows: bool = False
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """For each of a reply's ids the index of its first character in ``text``, and the end."""
        n_prefix = len(self.reply_prefix) if text.startswith(self.reply_prefix) else 0
        find = self._ranges.grow if grows else self._ranges.find
        return find(ids, text, n_prefix)

    def _generated_ids(self, turn: Turn) -> tuple[int, ...]:
        """The reply's ids if they are this tokenizer's and say what the turn says, else nothing."""
        ids = turn.token_ids
        if not ids:
            return ()
        if self._verified.get(ids) != turn.content:
            detokenizer = self._tokenizer.detokenizer
            try:
                for token_id in ids:
                    detokenizer.add_token(token_id)
                detokenizer.finalize()
            except (IndexError, KeyError, OverflowError, TypeError, ValueError):
                return ()
            text = self.reply_prefix + detokenizer.text
            hidden = len(text) - len(turn.content)
            if not text.startswith(turn.content) or hidden > _HIDDEN_TAIL:
                return ()
            self._verified[ids] = turn.content
        return ids


def _holder(index: int) -> str:
    return f"vx7Kq{index}Zp"


def _place_text(turn: int, text: str, start: int, pieces: list[Piece]) -> str:
    """A placeholder for ``text``; the whitespace around stays visible for templates that trim."""
    core = text.strip()
    if not core:
        return text
    lead = text.index(core)
    pieces.append(Piece(turn, core, start + lead))
    return text[:lead] + _holder(len(pieces) - 1) + text[lead + len(core) :]
