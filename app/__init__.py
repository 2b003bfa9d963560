"""The Velox desktop application: Qt on top of :mod:`velox_core`. Never imports mlx."""
