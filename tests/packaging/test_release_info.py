"""The build's word on where its releases are reaches the application, or stops the build."""

import pytest

import release_info
from app import release


@pytest.fixture
def told(monkeypatch, tmp_path):
    """Builds with an address and returns what the application reads then."""
    monkeypatch.setattr(release.paths, "resources_dir", lambda: tmp_path)

    def build(address):
        monkeypatch.setenv(release_info.VARIABLE, address)
        release_info.write_release(tmp_path)
        return release.releases_page()

    return build


def test_application_reads_what_the_build_was_told(told):
    assert told(" https://example.org/a/b/releases\n") == "https://example.org/a/b/releases"


def test_build_without_address_writes_nothing(told, tmp_path):
    assert told("") == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/releases",
        "example.org/releases",
        "https:///releases",
        "https://me:secret@example.org/releases",
        "https://example.org/a b",
        "https://example.org/\u202e",
        "https://[x/releases",
        "javascript:alert(1)",
    ],
)
def test_build_refuses_what_is_no_https_address(told, tmp_path, address):
    with pytest.raises(SystemExit, match=r"must be an address that begins https://"):
        told(address)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.packaging
@pytest.mark.parametrize("address", ["https://example.org/releases", ""])
def test_bundle_carries_the_address_if_there_is_one(monkeypatch, tmp_path, starter_path, address):
    import collect

    monkeypatch.setenv(release_info.VARIABLE, address)
    data = collect.data_files(tmp_path, starter_path)
    entry = (str(tmp_path / "release.json"), "resources")
    assert data.count(entry) == (1 if address else 0)
