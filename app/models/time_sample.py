"""One moment of a conversation's memory, and all of them as a table."""

import csv
import io
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields


@dataclass(frozen=True, slots=True)
class TimeSample:
    """What was measured when ``tokens_seen`` tokens had been read or written.

    ``tokens_kept`` and ``budget`` are tokens per layer; ``budget`` is 0 for the full cache.
    ``evicted`` is how many tokens per layer were dropped since reply number ``reply`` was asked
    for; the first one is 1.
    """

    tokens_seen: int
    tokens_kept: int
    cache_nbytes: int
    full_cache_nbytes: int
    budget: int = 0
    reply: int = 0
    evicted: int = 0

    @property
    def dropped(self) -> int:
        """Tokens per layer that are not held any more."""
        return self.tokens_seen - self.tokens_kept

    @property
    def ratio(self) -> float:
        """Tokens seen over tokens kept, 1.0 for an empty cache."""
        return self.tokens_seen / self.tokens_kept if self.tokens_kept else 1.0


def to_csv(samples: Iterable[TimeSample]) -> str:
    """Return the samples as a table with a heading, one a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(field.name for field in fields(TimeSample)), "ratio"])
    writer.writerows([*astuple(sample), f"{sample.ratio:.4f}"] for sample in samples)
    return text.getvalue()
