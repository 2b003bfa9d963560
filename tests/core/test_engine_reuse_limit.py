"""How much freed memory mlx keeps ready."""

import mlx.core as mx

from tests.core.engine_runner import EngineRunner, user
from tests.tiny_folder import make_tiny_folder
from velox_core.engine.events import LoadRequest, ModelLoaded


def test_load_limits_the_memory_kept_for_reuse(tmp_path) -> None:
    folder = make_tiny_folder(tmp_path / "tiny")
    runner = EngineRunner()
    assert isinstance(runner.run(LoadRequest("load", str(folder), 200_000)), ModelLoaded)
    runner.reply(user("hello " * 100))
    assert mx.get_cache_memory() <= 200_000
    default = LoadRequest("load", str(folder)).reuse_limit_nbytes
    assert mx.set_cache_limit(default) == 200_000
