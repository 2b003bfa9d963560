"""SmolLM2's tokenizer written out plainly, with llama.cpp's rules; shares nothing with ours."""

from itertools import pairwise

import regex

# llama.cpp's two expressions for "smollm": every digit alone, then GPT-2's words.
_DIGIT = regex.compile(r"\p{N}")
_WORD = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


def printable_bytes() -> dict[int, str]:
    """GPT-2's spelling of the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}


class BpeReference:
    """Text to ids by merging the best ranked pair until none is left."""

    def __init__(self, tokens: list[str], merges: list[str]):
        self.ids = {token: index for index, token in enumerate(tokens)}
        self.ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(merges)}
        self.spelling = printable_bytes()

    def encode(self, text: str) -> list[int]:
        """The ids of ``text``; no special tokens. The model lacks a few rare bytes: left out."""
        parts = [part for word in self._words(text) for part in self._merge(word)]
        return [self.ids[part] for part in parts if part in self.ids]

    def knows(self, text: str) -> bool:
        """Whether every byte of ``text`` has a token."""
        return all(self.spelling[byte] in self.ids for byte in text.encode())

    def _words(self, text):
        start = 0
        for digit in [*_DIGIT.finditer(text), None]:
            end = digit.start() if digit else len(text)
            yield from (match.group() for match in _WORD.finditer(text[start:end]))
            if digit:
                yield digit.group()
                start = digit.end()

    def _merge(self, word):
        parts = [self.spelling[byte] for byte in word.encode()]
        while len(parts) > 1:
            pairs = list(pairwise(parts))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, float("inf")))
            if best not in self.ranks:
                break
            at = pairs.index(best)
            parts[at : at + 2] = ["".join(best)]
        return parts
