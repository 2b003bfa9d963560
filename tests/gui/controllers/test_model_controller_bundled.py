"""The starter model inside the application is found wherever the application is now."""

import json
import shutil

import pytest

from velox_core import paths
from velox_core.models.starter import STARTER_NAME, STARTER_VARIABLE


@pytest.fixture
def place(monkeypatch, tmp_path, home):
    """Puts the packaged application at a place; nothing else names a starter model."""
    monkeypatch.delenv(STARTER_VARIABLE)
    real = paths.resources_dir()

    def move_to(name, contents="{}"):
        resources = tmp_path / name / "resources"
        monkeypatch.setattr(paths, "resources_dir", lambda: resources)
        folder = resources / "starter" / STARTER_NAME
        if not folder.is_dir():
            shutil.copytree(real, resources)
            folder.mkdir(parents=True)
        marker = {"format": 1, "files": {"config.json": len(contents)}}
        (folder / "velox-starter.json").write_text(json.dumps(marker))
        (folder / "config.json").write_text(contents)
        return folder

    return move_to


def test_bundled_starter_is_loaded_and_not_remembered_by_its_path(open_velox, place) -> None:
    folder = place("Applications é/Velox.app")
    driver = open_velox()
    assert driver.velox.models.path == str(folder)
    assert driver.velox.models.is_starter
    assert driver.velox.settings.get("models.path") == ""


def test_moved_application_loads_the_starter_at_its_new_place(open_velox, place) -> None:
    old = place("AppTranslocation/1F2E/d/Velox.app")
    first = open_velox()
    assert first.velox.models.path == str(old)
    assert first.velox.close()
    shutil.rmtree(old)
    new = place("AppTranslocation/9A8B/d/Velox.app")
    second = open_velox()
    assert second.velox.models.path == str(new)
    assert second.problem == ""


def test_moved_application_keeps_the_model_that_was_chosen(open_velox, place, tmp_path) -> None:
    place("old")
    other = tmp_path / "Other 3B"
    other.mkdir()
    first = open_velox()
    first.velox.models.load(str(other))
    first.ready()
    assert not first.velox.models.is_starter
    assert first.velox.close()
    place("new")
    assert open_velox().velox.models.path == str(other)


def test_cut_bundled_starter_is_not_loaded(open_velox, place) -> None:
    (place("Velox.app") / "config.json").write_text("")
    driver = open_velox(wait=False)
    driver.until(lambda: driver.window.start_page.isVisible())
    assert driver.velox.models.path == ""
