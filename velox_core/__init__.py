"""The bounded key/value cache for mlx-lm, and the engine that runs conversations on it."""

from velox_core.blas import prepare_mlx

# Before any module of ours imports mlx: a BLAS loaded later is not used.
prepare_mlx()
