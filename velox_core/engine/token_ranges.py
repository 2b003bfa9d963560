"""Which characters of a reply each generated token stands for."""

import codecs
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from mlx_lm.tokenizer_utils import BPEStreamingDetokenizer, SPMStreamingDetokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

_SPM_SPACE = "\u2581".encode()
_CACHED_REPLIES = 256

Ranges = tuple[tuple[int, ...], tuple[int, ...]]


class _Found:
    """What is known of the first tokens of a reply that grows, up to a whole character."""

    def __init__(self) -> None:
        self.ids: tuple[int, ...] = ()
        self._starts: list[int] = []
        self._ends: list[int] = []

    def extended(self, ids: tuple[int, ...], parts: list[bytes]) -> tuple[list[int], list[int]]:
        """Starts and ends of all ``ids``; ``parts`` are the bytes of those not known yet."""
        begin = self._ends[-1] if self._ends else 0
        starts, ends = _by_bytes(parts)
        starts = self._starts + [begin + start for start in starts]
        ends = self._ends + [begin + end for end in ends]
        # After an ASCII byte no character is left half read.
        whole = next((n for n in range(len(parts), 0, -1) if parts[n - 1][-1:].isascii()), 0)
        if whole and parts[whole - 1]:
            n = len(self.ids) + whole
            self.ids, self._starts, self._ends = ids[:n], starts[:n], ends[:n]
        return starts, ends


class TokenRanges:
    """Finds them for one tokenizer, by the bytes of its tokens where those are known."""

    def __init__(self, tokenizer: Any) -> None:
        """Read the token map of ``tokenizer``, mlx-lm's ``TokenizerWrapper``."""
        self._tokenizer = tokenizer
        self._byte_of = {char: byte for byte, char in bytes_to_unicode().items()}
        self._grown = _Found()
        self.find = lru_cache(maxsize=_CACHED_REPLIES)(self._find)

    def _find(self, ids: tuple[int, ...], text: str, n_prefix: int = 0) -> Ranges:
        """The characters of ``text`` that each token carries.

        Tokens that share a character (an emoji in several pieces) share its range.

        Args:
            ids: The generated token ids, ``L`` of them.
            text: What they say, perhaps cut.
            n_prefix: Characters at the beginning of ``text`` that no token stands for.

        Returns:
            For each token the index of its first character, and the index behind its last.
        """
        return self._placed(_Found(), ids, text, n_prefix)

    def grow(self, ids: tuple[int, ...], text: str, n_prefix: int = 0) -> Ranges:
        """Like :meth:`find`, for a reply that grows: what was found before is kept."""
        known = self._grown
        if ids[: len(known.ids)] != known.ids:
            known = self._grown = _Found()
        return self._placed(known, ids, text, n_prefix)

    def _placed(self, known: "_Found", ids: tuple[int, ...], text: str, n_prefix: int) -> Ranges:
        detokenizer = self._tokenizer.detokenizer
        parts = self._parts(detokenizer, ids[len(known.ids) :])
        if parts is None:
            starts, ends = _by_growth(detokenizer, ids)
            shift = n_prefix
        else:
            first = parts[:1] if not known.ids else self._parts(detokenizer, ids[:1]) or []
            starts, ends = known.extended(ids, parts)
            # The detokenizers drop one space at the beginning of a reply.
            trimmed = b"".join(first).startswith(b" ") and not text[n_prefix:].startswith(" ")
            shift = n_prefix - trimmed
        n = len(text)
        return (
            tuple(min(max(start + shift, 0), n) for start in starts),
            tuple(min(max(end + shift, 0), n) for end in ends),
        )

    def _parts(self, detokenizer: Any, ids: Sequence[int]) -> list[bytes] | None:
        """The bytes of each token, or None where the tokenizer does not tell."""
        if isinstance(detokenizer, SPMStreamingDetokenizer):
            return [detokenizer.tokenmap[i].replace(_SPM_SPACE, b" ") for i in ids]
        if isinstance(detokenizer, BPEStreamingDetokenizer):
            names = detokenizer.tokenmap
            return [self._bytes_of(names[i] if i < len(names) else "!") for i in ids]
        return None

    def _bytes_of(self, name: str) -> bytes:
        return b"".join(
            bytes([self._byte_of[char]]) if char in self._byte_of else char.encode()
            for char in name
        )


def _by_bytes(parts: list[bytes]) -> tuple[list[int], list[int]]:
    chars = _char_of_each_byte(b"".join(parts))
    starts, ends = [], []
    position = end = 0
    for part in parts:
        first = chars[position] if part else end
        position += len(part)
        end = chars[position - 1] + 1 if part else end
        starts.append(first)
        ends.append(end)
    return starts, ends


def _char_of_each_byte(data: bytes) -> list[int]:
    """For each byte the index of its character in ``data.decode("utf-8", "replace")``."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    chars: list[int] = []
    n_chars = n_waiting = 0
    for index in range(len(data)):
        n_new = len(decoder.decode(data[index : index + 1], final=index == len(data) - 1))
        n_left = len(decoder.getstate()[0])
        n_waiting += 1
        # Several characters at once: broken ones before, this byte's own last.
        for number in range(n_waiting - n_left if n_new else 0):
            is_last = number == n_waiting - n_left - 1
            chars.append(n_chars + (n_new - 1 if is_last else min(number, max(n_new - 2, 0))))
        if n_new:
            n_waiting = n_left
        n_chars += n_new
    return chars


def _by_growth(detokenizer: Any, ids: Sequence[int]) -> tuple[list[int], list[int]]:
    """By how the text grows; tokens that become visible together share their range."""
    starts: list[int] = []
    ends: list[int] = []
    given = n_pending = 0
    for index, token_id in enumerate(ids):
        detokenizer.add_token(token_id)
        n_pending += 1
        if index == len(ids) - 1:
            detokenizer.finalize()
        length = len(detokenizer.text)
        if length > given or index == len(ids) - 1:
            starts += [given] * n_pending
            ends += [length] * n_pending
            given, n_pending = length, 0
    return starts, ends
