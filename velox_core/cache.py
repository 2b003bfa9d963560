"""A KV cache that never grows past a budget; which rows go is the policy's choice.

mlx-lm's cache protocol. Rows are kept in :mod:`velox_core.kept`, a call runs in
:mod:`velox_core.steps`, policies are in :mod:`velox_core.policies`.
"""

import copy
from typing import Any, Self

import mlx.core as mx

from velox_core.config import KVCacheConfig
from velox_core.errors import CacheError, ConfigError
from velox_core.policies import load_policy
from velox_core.steps import EvictionSteps


class EvictingKVCache(EvictionSteps):
    """The bounded cache of one layer; speaks mlx-lm's cache protocol. Batch size 1.

    A call attends to what was kept before it plus its own rows; what the policy drops is missing
    from the next call on. ``offset`` counts the tokens ever seen and is the RoPE position;
    :meth:`size` counts the rows held. The newest token may be dropped like any other.

    There is no ``bits``, no ``merge`` and no ``to_quantized``, so that mlx-lm neither quantises
    nor batches this cache into an unbounded one.

    Arguments and attributes are those of :class:`velox_core.steps.EvictionSteps`.
    """

    def make_mask(
        self,
        N: int,  # noqa: N803
        return_array: bool = False,
        window_size: int | None = None,
    ) -> mx.array | str | None:
        """The mask of a call with ``N`` new tokens: all rows held before it, then causal.

        Returns:
            None for one token, ``"causal"`` while nothing was dropped, else (or if
            ``return_array``) a bool array ``(N, size() + N)``.

        Raises:
            CacheError: The layer slides (``window_size``) and the window is left.
        """
        self._settle()
        if window_size is not None and self.offset + N > window_size:
            raise CacheError("A sliding-window layer needs its own cache, not a bounded one.")
        if N == 1:
            return None
        held = self.size()
        if held == self.offset and not return_array:
            return "causal"
        return mx.arange(held, held + N)[:, None] >= mx.arange(held + N)

    def keys_and_values(self) -> tuple[mx.array, mx.array]:
        """What this step attended to; later layers of some models ask for it again.

        Raises:
            CacheError: The cache is empty.
        """
        if self._attended is not None:
            return self._attended
        if self.empty():
            raise CacheError("This cache is empty.")
        return self._rows.in_time()

    def is_trimmable(self) -> bool:
        """True until the first eviction: what was dropped cannot be brought back."""
        return self.offset == self._rows.n

    def trim(self, n: int) -> int:
        """Forget the last ``n`` tokens; returns how many that were.

        Raises:
            CacheError: Rows were dropped already, so the state before them is gone.
        """
        if not self.is_trimmable():
            raise CacheError(
                "This cache has dropped tokens and cannot go back; start over or use a snapshot."
            )
        self._settle()
        n = min(self.offset, max(n, 0))
        self.offset -= n
        self._rows.n -= n
        self._scores = self._query = self._attended = None
        return n

    @property
    def nbytes(self) -> int:
        """Bytes of every array this cache holds on to, spare slots and notes included."""
        held = [self._query, *(self._attended or ())]
        if self._pending is not None:
            held += [self._pending.keys, self._pending.values]
        own = {id(self._rows.keys), id(self._rows.values)}
        extra = {id(x): x.nbytes for x in held if x is not None and id(x) not in own}
        return super().nbytes + sum(extra.values())

    @property
    def state(self) -> tuple[Any, ...]:
        """All there is to know, rows in temporal order; valid at any moment, empty included.

        Arrays, whole numbers, strings and None. How to re-rotate keys is the model's to know and
        not part of it.
        """
        self._settle()
        self._attended = None
        return (*self._kept_state(), self._query, self._sinks, self.method, self.signal)

    @state.setter
    def state(self, state: tuple[Any, ...]) -> None:
        *kept, query, sinks, method, signal = state
        self._begin()
        self.method, self.policy = method, load_policy(method, signal)
        self.notice, self.keeps_attended = None, True
        self._restore_kept(kept)
        self._query, self._sinks = query, sinks

    @classmethod
    def from_state(cls, state: tuple[Any, ...]) -> Self:
        """A cache equal to the one whose ``state`` this is."""
        cache = cls.__new__(cls)
        cache.state = state
        return cache

    def detached(self) -> Self:
        """A copy that shares arrays: they are never written to, so it stays as it is."""
        self._settle()
        twin = copy.copy(self)
        twin._rows, twin.guards = copy.copy(self._rows), copy.copy(self.guards)
        twin.spans = copy.copy(self.spans)
        return twin


class TOVAKVCache(EvictingKVCache):
    """:class:`EvictingKVCache` with the TOVA policy, by the names its users know.

    Raises:
        ConfigError: The configuration names another method.
    """

    def __init__(self, config: KVCacheConfig, *, hooked: bool = False) -> None:
        if config.method != "tova":
            raise ConfigError(f"TOVAKVCache needs method 'tova', not {config.method!r}.")
        super().__init__(config, hooked=hooked)

    @property
    def tova_kept_bytes(self) -> int:
        """Bytes of the rows held: ``n_kept * D * 4`` a KV head in fp16, else the true size."""
        return self.kept_bytes
