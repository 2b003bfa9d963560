"""Our tables of model types against the source of the mlx-lm that is installed."""

import inspect
import re
from pathlib import Path

import pytest
from mlx_lm import utils
from mlx_lm.models import llama

from velox_core.models import support

SOURCES = {
    path.stem: path.read_text()
    for path in Path(llama.__file__).parent.glob("*.py")
    if path.stem in support.supported_types()
}


def made_caches(kind):
    """Names of the cache classes that a model's own ``make_cache`` builds; None without one."""
    body = re.search(r"def make_cache.*?(?=\n    def |\nclass |\Z)", SOURCES[kind], re.S)
    return set(re.findall(r"\b(\w*Cache)\(", body.group())) if body else None


def test_remapped_types_are_those_of_mlx_lm():
    assert support.REMAPPED == utils.MODEL_REMAPPING


def test_every_supported_type_has_a_model():
    assert len(SOURCES) > 100
    assert [kind for kind, source in SOURCES.items() if not re.search(r"\bModel\b", source)] == []


@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_bounded_cache_tables_agree_with_the_source(kind):
    made = made_caches(kind)
    if made and "KVCache" not in made:
        assert kind in support.NEVER_BOUNDED
    elif made and made - {"KVCache"} and kind not in {"llama", "ministral3"}:
        # Those two build sliding layers only if config.json lists them: read from there.
        assert kind in support.PARTLY_BOUNDED | support.NEVER_BOUNDED
    elif "kv_lora_rank" in SOURCES[kind]:
        assert kind in support.NEVER_BOUNDED


def test_listed_sliding_layers_make_support_partial():
    config = {"model_type": "llama", "layer_types": ["full_attention", "sliding_attention"]}
    assert support.cache_support(config) == "partly"
    assert support.cache_support({"model_type": "llama"}) == "full"
    assert support.cache_support({"model_type": "kimi_k2"}) == "none"


def test_required_keys_are_the_arguments_without_default():
    parameters = inspect.signature(llama.ModelArgs).parameters.values()
    expected = tuple(p.name for p in parameters if p.default is inspect.Parameter.empty)
    assert support.required_keys("llama") == support.required_keys("mistral") == expected
