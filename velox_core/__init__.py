"""The bounded key/value cache for mlx-lm, and the engine that runs conversations on it."""
