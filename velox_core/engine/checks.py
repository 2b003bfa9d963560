"""What no model can answer, found before any model is asked. Imports no mlx."""

from velox_core.engine.events import CacheSettings, ReplyRequest, SamplingParams
from velox_core.errors import ConfigError, ModelError


def check_reply(request: ReplyRequest) -> None:
    """Check a request for a reply.

    Raises:
        ModelError: With one plain sentence, when there is nothing to answer.
        ConfigError: Likewise, when a setting is out of range.
    """
    if not request.turns or not request.turns[-1].content.strip():
        raise ModelError("The message is empty; write something first.")
    check_cache(request.cache)
    check_sampling(request.sampling)


def check_cache(settings: CacheSettings) -> None:
    """Check budget and sinks.

    Raises:
        ConfigError: With one plain sentence.
    """
    if not settings.bounded:
        return
    if settings.budget < 1:
        raise ConfigError("The budget must be 1 token or more.")
    if not 0 <= settings.n_sink < settings.budget:
        raise ConfigError(
            f"The sinks must be between 0 and {settings.budget - 1} tokens, "
            f"below the budget of {settings.budget}."
        )


def check_sampling(sampling: SamplingParams) -> None:
    """Check how tokens are to be chosen.

    Raises:
        ConfigError: With one plain sentence.
    """
    checks = (
        (0 <= sampling.temperature <= 100, "The temperature must be between 0 and 100."),
        (0 < sampling.top_p <= 1, "Top-p must be above 0 and at most 1."),
        (sampling.top_k >= 0, "Top-k must be 0 or more."),
        (0 <= sampling.min_p <= 1, "Min-p must be between 0 and 1."),
        (0 < sampling.repetition_penalty <= 100, "The repetition penalty must be above 0."),
        (sampling.max_tokens >= 1, "The longest reply must be 1 token or more."),
        (
            sampling.seed is None or 0 <= sampling.seed < 2**64,
            "The seed must be a whole number from 0 to 18446744073709551615.",
        ),
    )
    for passed, message in checks:
        if not passed:
            raise ConfigError(message)
