"""What is said when a conversation comes to the end of the model's trained window."""


def note_limit(window: int, *, is_endless: bool) -> int:
    """From how many tokens on to say it; where the text would suffer, a little before."""
    return window if is_endless else window - window // 16


def bounded_note(window: int, *, is_endless: bool) -> str:
    """One sentence for a conversation with a bounded cache, which goes on."""
    if is_endless:
        return (
            f"This conversation has passed the model's window of {window:,} tokens; kept tokens "
            "are moved closer together, so it can go on."
        )
    return (
        f"This conversation comes to the end of the model's window of {window:,} tokens; this "
        "model cannot go further without its text falling apart, so start a new chat."
    )


def full_note(window: int) -> str:
    """One sentence for a conversation with the full cache, which ends here."""
    return f"The model's window of {window:,} tokens is full; start a new chat to go on."
