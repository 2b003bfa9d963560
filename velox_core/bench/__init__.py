"""Benchmarks: ``python -m velox_core.bench``."""
