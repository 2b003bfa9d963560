"""What a task will take, from speeds that were measured. Imports no mlx."""


def reread_seconds(n_tokens: int, prefill_tps: float) -> float:
    """Seconds to read ``n_tokens`` again at ``prefill_tps`` tokens a second."""
    return n_tokens / prefill_tps if prefill_tps > 0 else 0.0


def quality_seconds(
    n_tokens: int, n_compared: int, n_budgets: int, prefill_tps: float, decode_tps: float
) -> float:
    """Seconds to compare ``n_budgets`` budgets with the full cache.

    Each budget and the full cache read the conversation; then each budget takes the compared
    tokens one by one, as in a reply.

    Args:
        n_tokens: Tokens of the conversation.
        n_compared: Tokens at its end that are compared.
        n_budgets: How many budgets.
        prefill_tps: Measured reading speed, tokens a second.
        decode_tps: Measured decode speed, tokens a second.
    """
    if prefill_tps <= 0 or decode_tps <= 0:
        return 0.0
    return (n_budgets + 1) * n_tokens / prefill_tps + n_budgets * n_compared / decode_tps
