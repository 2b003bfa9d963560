"""Controllers: wire widgets to the engine and the store."""
