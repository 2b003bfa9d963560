"""TOVA: at each step over budget, drop the token the current step attends to least.

"Transformers are Multi-State RNNs", Oren et al. 2024, arXiv:2401.06104. Memoryless: no score is
carried from step to step. As in the paper and its code the newest token may itself be dropped.

Differences from the paper: the first ``n_sink`` positions are never dropped, and each KV head
chooses for itself (the paper's code does so per layer or head; here query heads that share a KV
head are averaged). The signal ``"key"`` is a proxy, not the paper's rule: the incoming key stands
in for the query, for every token in order.
"""

from typing import ClassVar

import mlx.core as mx

from velox_core.policies.base import LOWEST, EvictionPolicy, Kept, Rows, Signal
from velox_core.policies.sequential import keep_one_by_one


class TOVA(EvictionPolicy):
    """Scores rows by the attention of the current step."""

    name: ClassVar[str] = "tova"
    signals: ClassVar[tuple[Signal, ...]] = ("query", "key")

    def score(self, rows: Rows) -> mx.array | None:
        """See :meth:`EvictionPolicy.score`.

        For ``"key"`` the raw products are returned: softmax and the positive factor 1/sqrt(D)
        keep their order, so the lowest is the same row.
        """
        if self.signal == "query":
            return rows.weights
        query = rows.newest_key.astype(mx.float32)
        products = query @ rows.keys.astype(mx.float32).swapaxes(-1, -2)
        return mx.nan_to_num(products, nan=LOWEST, posinf=-LOWEST, neginf=LOWEST)

    def keep(self, rows: Rows, n_new: int, guarded: mx.array, budget: int) -> Kept:
        """See :meth:`EvictionPolicy.keep`; ``"key"`` decides token by token."""
        if self.signal == "query":
            return super().keep(rows, n_new, guarded, budget)
        return keep_one_by_one(rows.keys, n_new, guarded, budget)
