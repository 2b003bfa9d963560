"""What the memory panel shows at one moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryView:
    """The cache and the process, measured. Bytes and tokens; ``ratio`` is tokens seen over kept.

    ``memory_nbytes`` is the process's memory, ``total_nbytes`` the machine's; 0 means unknown.
    """

    cache_nbytes: int = 0
    full_cache_nbytes: int = 0
    tokens_kept: int = 0
    tokens_seen: int = 0
    ratio: float = 1.0
    memory_nbytes: int = 0
    total_nbytes: int = 0
    bounded: bool = True
