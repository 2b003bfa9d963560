"""A plain NumPy Llama that reads the GGUF through the `gguf` package: shares nothing with ours.

Queries and keys keep llama.cpp's row order and are rotated in neighbouring pairs, as llama.cpp
does, so the comparison also proves that the conversion put the rows back.
"""

from pathlib import Path

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize


class LlamaReference:
    """Next-token logits for a whole prompt, in float64."""

    def __init__(self, gguf_file: Path):
        reader = GGUFReader(gguf_file)
        self.weights = {
            tensor.name: dequantize(tensor.data, tensor.tensor_type).astype(np.float64)
            for tensor in reader.tensors
        }

        def field(name):
            return reader.get_field(f"llama.{name}").contents()

        self.n_layers = field("block_count")
        self.n_heads = field("attention.head_count")
        self.n_kv_heads = field("attention.head_count_kv")
        self.eps = field("attention.layer_norm_rms_epsilon")
        self.base = field("rope.freq_base")

    def logits(self, ids: list[int]) -> np.ndarray:
        """Logits ``(L, vocabulary)`` after each of the ``L`` tokens."""
        w = self.weights
        x = w["token_embd.weight"][ids]
        for layer in range(self.n_layers):
            block = f"blk.{layer}."
            h = self._norm(x, block + "attn_norm.weight")
            x = x + self._attention(h, block)
            h = self._norm(x, block + "ffn_norm.weight")
            gate = h @ w[block + "ffn_gate.weight"].T
            up = h @ w[block + "ffn_up.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * up) @ w[block + "ffn_down.weight"].T
        return self._norm(x, "output_norm.weight") @ w["token_embd.weight"].T

    def _norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.weights[name]

    def _attention(self, h, block):
        w, length = self.weights, len(h)
        q = self._rotate((h @ w[block + "attn_q.weight"].T).reshape(length, self.n_heads, -1))
        k = self._rotate((h @ w[block + "attn_k.weight"].T).reshape(length, self.n_kv_heads, -1))
        v = (h @ w[block + "attn_v.weight"].T).reshape(length, self.n_kv_heads, -1)
        group = self.n_heads // self.n_kv_heads
        k, v = k.repeat(group, axis=1), v.repeat(group, axis=1)
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        out = np.einsum("hij,jhd->ihd", weights, v).reshape(length, -1)
        return out @ w[block + "attn_output.weight"].T

    def _rotate(self, x):
        length, _, dim = x.shape
        angles = np.arange(length)[:, None] * self.base ** (-np.arange(0, dim, 2) / dim)
        cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
        even, odd = x[..., 0::2], x[..., 1::2]
        return np.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape)
