"""Loading a model, one conversation, one reply: everything that runs on the mlx thread."""
