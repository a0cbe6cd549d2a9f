"""Every test in this folder runs on every engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.store import Store
from tests.support.postgres import postgres_url
from thoughtbox.engine.protocol import Engine

__all__ = ["postgres_url"]


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of the engine in turn."""
    store = Store(str(tmp_path / "store.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url"))
    yield store
    store.close()


@pytest.fixture
def engine(store: Store) -> Engine:
    return store.open()
