"""Widgets: layout and painting; they emit signals and hold no logic."""
