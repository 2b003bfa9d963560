from velox_core.models.hub import repository_name
from velox_core.models.suggestions import suggestions
from velox_core.models.support import is_supported


def test_suggestions_go_from_small_to_large():
    sizes = [suggestion.facts.weights_nbytes for suggestion in suggestions()]
    assert len(sizes) >= 8
    assert sizes == sorted(sizes)
    assert sizes[0] < 500_000_000
    assert sizes[-1] > 30_000_000_000


def test_every_suggestion_can_be_downloaded_and_run():
    for suggestion in suggestions():
        assert repository_name(suggestion.repository) == suggestion.repository
        assert is_supported(suggestion.facts.model_type)
        assert suggestion.facts.cache_support == "full"
        # Four bits a weight, and a scale and a bias of two bytes for every 64 of them.
        expected = suggestion.facts.n_parameters * 4.5 / 8
        assert abs(suggestion.facts.weights_nbytes / expected - 1) < 0.02
        assert suggestion.note.endswith(".")
        family = "Llama" if suggestion.facts.model_type == "llama" else "Apache 2.0"
        assert suggestion.licence.startswith(family)
        assert suggestion.fit().low_nbytes > suggestion.facts.weights_nbytes
