import pathlib

from velox_core.models import starter_fetch


def test_arrived_bytes_are_counted_while_pip_removes_its_folders(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a.whl").write_bytes(b"12345")
    listed = starter_fetch.os.scandir

    def scandir(path):
        if pathlib.Path(path).name == "gone":
            raise FileNotFoundError(path)
        return listed(path)

    monkeypatch.setattr(starter_fetch.os, "scandir", scandir)
    assert starter_fetch._arrived_nbytes(tmp_path) == 5
