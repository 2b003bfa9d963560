"""Two replies to one prompt, compared."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompareSide:
    """One side's figures, in words: what was kept, bytes, speed, time to first token."""

    kept: str = "–"
    cache: str = "–"
    speed: str = "–"
    first_token: str = "–"

    def values(self) -> list[str]:
        """Return the figures in the order in which they are shown."""
        return [self.kept, self.cache, self.speed, self.first_token]


def first_difference(first: str, second: str) -> int:
    """Return the index of the first character that differs; -1 for equal texts.

    Where one text is the beginning of the other, it is the shorter one's length.
    """
    if first == second:
        return -1
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))
