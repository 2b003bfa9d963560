"""TOVA written down as plainly as possible, in NumPy float64, one head and one row at a time."""

from collections.abc import Iterable

import numpy as np


def softmax(scores):
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


class ReferenceTova:
    """The rows one layer keeps: for each KV head a list of positions in temporal order."""

    def __init__(self, n_kv_heads: int, budget: int, n_sink: int, protected: Iterable[int] = ()):
        self.budget = budget
        self.n_sink = n_sink
        self.protected = set(protected)
        self.kept: list[list[int]] = [[] for _ in range(n_kv_heads)]
        self.keys: list[dict[int, np.ndarray]] = [{} for _ in range(n_kv_heads)]
        self.offset = 0

    def stays(self, position: int) -> bool:
        return position < self.n_sink or position in self.protected

    def feed_by_key(self, keys):
        """``keys`` (n_kv_heads, S, D): each token drops what its own key attends to least."""
        for step in range(keys.shape[1]):
            for head, kept in enumerate(self.kept):
                self._take(head, keys[head, step], self.offset)
                if len(kept) > self.budget:
                    self._drop_least(head, self._weights(head, keys[head, step]))
            self.offset += 1

    def feed_by_query(self, keys, queries):
        """A chunk (n_kv_heads, S, D) whose last query (n_heads, D) chooses what stays."""
        group = queries.shape[0] // len(self.kept)
        for head, kept in enumerate(self.kept):
            for step in range(keys.shape[1]):
                self._take(head, keys[head, step], self.offset + step)
            shared = queries[head * group : (head + 1) * group]
            weights = np.mean([self._weights(head, query) for query in shared], axis=0)
            surplus = max(0, len(kept) - self.budget)
            free = [row for row, position in enumerate(kept) if not self.stays(position)]
            least = sorted(free, key=lambda row: (weights[row], kept[row]))[:surplus]
            for row in sorted(least, reverse=True):
                del kept[row]
        self.offset += keys.shape[1]

    def _take(self, head, key, position):
        self.kept[head].append(position)
        self.keys[head][position] = key.astype(np.float64)

    def _weights(self, head, query):
        rows = np.stack([self.keys[head][position] for position in self.kept[head]])
        return softmax(rows @ query.astype(np.float64) / np.sqrt(rows.shape[1]))

    def _drop_least(self, head, weights):
        kept = self.kept[head]
        free = [row for row, position in enumerate(kept) if not self.stays(position)]
        del kept[min(free, key=lambda row: (weights[row], kept[row]))]
