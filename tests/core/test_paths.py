from pathlib import Path

from velox_core import paths


def test_velox_home_holds_every_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("VELOX_HOME", str(tmp_path))
    folders = [paths.data_dir(), paths.cache_dir(), paths.config_dir(), paths.log_dir()]
    assert [folder.parent for folder in folders] == [tmp_path] * 4
    assert len(set(folders)) == 4
    assert paths.models_dir().is_relative_to(paths.data_dir())


def test_empty_velox_home_means_the_usual_folders(monkeypatch):
    monkeypatch.setenv("VELOX_HOME", "  ")
    assert paths.data_dir().is_relative_to(Path.home())
    assert "Velox" in paths.data_dir().parts


def test_resources_come_with_the_code():
    assert paths.resources_dir().is_dir()
