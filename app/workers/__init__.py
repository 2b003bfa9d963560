"""The one engine thread and its GUI-side face."""
