"""Settings: one declarative table, its validation and its file."""
