"""Text to token ids, with what a person typed kept apart from control tokens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EncodedRun:
    """Token ids of a run of text between two control tokens.

    Attributes:
        ids: The token ids, ``L`` of them.
        starts: For each token the index of its first character in the run, ``L`` of them.
        ends: For each token the index behind its last character. Tokens that share a character (an
            emoji in several pieces) share its range.
    """

    ids: list[int]
    starts: list[int]
    ends: list[int]


class Encoder:
    """Encodes for one tokenizer.

    Control tokens are the tokenizer's added tokens that are special or look like a tag
    (``<think>``, ``[INST]``). Their strings are control tokens in the template's own text only; in
    anybody's content they are split, so that they stay the plain text they look like.
    """

    def __init__(self, tokenizer: Any) -> None:
        """Read the added tokens of ``tokenizer``, a transformers tokenizer."""
        self._tokenizer = tokenizer
        self._offsets_known = bool(getattr(tokenizer, "is_fast", False))
        self.control_ids: dict[str, int] = {
            token.content: token_id
            for token_id, token in tokenizer.added_tokens_decoder.items()
            if token.content.strip() and (token.special or _looks_like_tag(token.content))
        }
        self._control_id_set = frozenset(self.control_ids.values())
        names = sorted(self.control_ids, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, names)) or r"(?!)")

    def split_controls(self, text: str) -> list[tuple[str, int | None]]:
        """Cut the template's own text into (text, None) and (control string, its id) in order."""
        parts: list[tuple[str, int | None]] = []
        position = 0
        for match in self._pattern.finditer(text):
            if match.start() > position:
                parts.append((text[position : match.start()], None))
            parts.append((match.group(), self.control_ids[match.group()]))
            position = match.end()
        if position < len(text):
            parts.append((text[position:], None))
        return parts

    def encode_run(self, text: str, before: str = "", after: str = "") -> EncodedRun:
        """Encode plain ``text`` that stands between the control strings ``before`` and ``after``.

        The neighbours are encoded with it and cut off again, because tokenizers treat the text
        after a control token differently (a prefix space, stripped whitespace). The result has no
        control token, whatever ``text`` says.
        """
        pieces = self._split_harmless(text)
        run = EncodedRun([], [], [])
        position = 0
        for index, piece in enumerate(pieces):
            left = before if index == 0 else ""
            right = after if index == len(pieces) - 1 else ""
            self._append(run, self._encode_between(piece, left, right), position)
            position += len(piece)
        if self._control_id_set.isdisjoint(run.ids):
            return run
        # A tokenizer that rewrites its input (full-width brackets, say) made one after all.
        run = EncodedRun([], [], [])
        for position, char in enumerate(text):
            single = self._encode(char)
            if self._control_id_set.isdisjoint(single.ids):
                self._append(run, single, position)
        return run

    def _split_harmless(self, text: str) -> list[str]:
        """Cut every control string in two, so that no piece holds a whole one."""
        pieces: list[str] = []
        position = search_from = 0
        while (match := self._pattern.search(text, search_from)) is not None:
            cut = match.start() + max(1, len(match.group()) // 2)
            pieces.append(text[position:cut])
            position = cut
            search_from = match.start() + 1
        pieces.append(text[position:])
        return [piece for piece in pieces if piece]

    def _encode_between(self, text: str, before: str, after: str) -> EncodedRun:
        encoded = self._encode(before + text + after)
        first = self.control_ids.get(before)
        last = self.control_ids.get(after)
        ids = encoded.ids
        start = 1 if before and ids[:1] == [first] else 0
        stop = len(ids) - 1 if after and ids[-1:] == [last] else len(ids)
        if (before and start == 0) or (after and stop == len(ids)):
            return self._encode(text)
        shift = len(before)
        return EncodedRun(
            ids[start:stop],
            [min(max(value - shift, 0), len(text)) for value in encoded.starts[start:stop]],
            [min(max(value - shift, 0), len(text)) for value in encoded.ends[start:stop]],
        )

    def _encode(self, text: str) -> EncodedRun:
        if self._offsets_known:
            encoded = self._tokenizer(
                text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
            )
            offsets: Sequence[tuple[int, int]] = encoded["offset_mapping"]
            return EncodedRun(
                list(encoded["input_ids"]), [o[0] for o in offsets], [o[1] for o in offsets]
            )
        ids = list(self._tokenizer.encode(text, add_special_tokens=False))
        ends = [len(self._tokenizer.decode(ids[: n + 1])) for n in range(len(ids))]
        return EncodedRun(ids, [0, *ends[:-1]] if ends else [], ends)

    @staticmethod
    def _append(run: EncodedRun, part: EncodedRun, shift: int) -> None:
        run.ids.extend(part.ids)
        run.starts.extend(value + shift for value in part.starts)
        run.ends.extend(value + shift for value in part.ends)


def _looks_like_tag(content: str) -> bool:
    return (content[0], content[-1]) in {("<", ">"), ("[", "]")} and len(content) > 2
