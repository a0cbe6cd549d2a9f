"""Fixtures for what is particular to one engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.store import Store
from tests.support.postgres import postgres_url
from thoughtbox.engine.protocol import Engine

__all__ = ["postgres_url"]


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Store]:
    store = Store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def engine(postgres: Store) -> Engine:
    return postgres.open()
