"""The workshop on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.operations.workshop import Workshop
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.engine.postgres import PostgresEngine
from thoughtbox.engine.sqlite import SqliteEngine


@pytest.fixture(params=["sqlite", "postgres"])
def workshop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workshop]:
    if request.param == "sqlite":
        engine = SqliteEngine(tmp_path / "thoughtbox.db", durability="normal")
        yield Workshop(engine)
        engine.close()
        return
    with fresh_schema(server_url(request.config)) as url:
        server = PostgresEngine(url, durability="normal")
        yield Workshop(server)
        server.close()
