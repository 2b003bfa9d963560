"""What one budget costs in quality."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """A budget's predictions beside the full cache's, over the same tokens.

    Attributes:
        budget: Tokens kept at most.
        agreement: Share of tokens whose likeliest prediction is the same, 0..1.
        perplexity_ratio: Perplexity over the full cache's.
        mean_kl: Mean Kullback-Leibler divergence from the full cache's predictions, in nats.
        is_present: Whether this is the budget in use.
    """

    budget: int
    agreement: float
    perplexity_ratio: float
    mean_kl: float
    is_present: bool = False
