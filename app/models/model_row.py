"""A model as the models window shows it: words only, no engine's types."""

from dataclasses import dataclass
from typing import Literal

FitLevel = Literal["fits", "tight", "too large", ""]
RowAction = Literal["load", "unload", "cancel", "download", "pause", "resume", "discard", ""]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One row.

    Attributes:
        key: What every signal about the row carries: a folder, or a repository's name.
        title: The model's name.
        detail: Size, quantisation, window, what the bounded cache can take.
        fit: Whether it fits in memory, as a range; empty when unknown.
        level: How that range compares with the memory.
        problem: Why it cannot be used, in one plain sentence.
        note: What is going on ("In use", "Loading…", "1.2 of 1.8 GB").
        progress: 0..1 while something goes on, else None.
        actions: What can be done with it, the main one first.
        details_tip: Where it is, shown when the pointer rests on the row.
    """

    key: str
    title: str
    detail: str = ""
    fit: str = ""
    level: FitLevel = ""
    problem: str = ""
    note: str = ""
    progress: float | None = None
    actions: tuple[RowAction, ...] = ()
    details_tip: str = ""
