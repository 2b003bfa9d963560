"""A text file that goes along with a message."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attachment:
    """A name, its text, and how many tokens it takes; ``exact`` is False for an estimate."""

    name: str
    text: str
    n_tokens: int
    exact: bool = False


def message_text(text: str, attachments: list[Attachment]) -> str:
    """Return the message as the model reads it: each file fenced under its name, then the text."""
    parts = []
    for attachment in attachments:
        body = attachment.text.rstrip("\n")
        fence = "```"
        while fence in body:
            fence += "`"
        parts.append(f"{attachment.name}:\n{fence}\n{body}\n{fence}")
    if text:
        parts.append(text)
    return "\n\n".join(parts)
