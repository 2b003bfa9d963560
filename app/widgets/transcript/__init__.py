"""The transcript: the messages of one chat, drawn as Markdown, many thousands if need be."""

from app.widgets.transcript.view import TranscriptView

__all__ = ["TranscriptView"]
