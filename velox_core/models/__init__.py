"""The catalogue: models on disk, the starter model, what fits."""
