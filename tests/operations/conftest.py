"""The workshop on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.workshop import TOPIC, Workshop
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.engine.postgres import PostgresEngine
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.search.registry import SEARCHABLE, Searchable


@pytest.fixture(params=["sqlite", "postgres"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workshop]:
    # Given back afterwards: it gives the index another shape, and other stores are opened in this process.
    monkeypatch.setitem(SEARCHABLE, TOPIC, Searchable(TOPIC, lambda record: record.text))
    if request.param == "sqlite":
        engine = SqliteEngine(tmp_path / "thoughtbox.db", durability="normal")
        yield Workshop(engine)
        engine.close()
        return
    with fresh_schema(server_url(request.config)) as url:
        server = PostgresEngine(url, durability="normal")
        yield Workshop(server)
        server.close()
