from collections.abc import Iterator
from pathlib import Path

import pytest

from app.storage import ChatStore


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / "chats.db"


@pytest.fixture
def store(database: Path) -> Iterator[ChatStore]:
    store = ChatStore(database)
    store.open()
    yield store
    store.close()
