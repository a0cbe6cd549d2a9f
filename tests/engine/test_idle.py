"""A store at rest: its log is folded in, and watching it costs next to nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.store import add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from tests.support.servers import HttpServer, StdioServer, environment, soon
from thoughtbox.engine import sqlite_watch
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.sqlite import SqliteEngine

pytestmark = pytest.mark.sampled(2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def engine(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteEngine]:
    """Watched, and soon at rest."""
    monkeypatch.setattr(sqlite_watch, "IDLE_SECONDS", 0.05)
    monkeypatch.setattr(sqlite_watch, "FOLD_AGAIN_SECONDS", 0.01)
    engine = SqliteEngine(path)
    engine.watch(lambda: None)
    yield engine
    engine.close()


def log_size(path: Path) -> int:
    return Path(f"{path}-wal").stat().st_size


def test_the_log_is_folded_in_and_the_file_alone_is_all_of_the_store(engine: SqliteEngine, path: Path, tmp_path: Path):
    make_things(engine, ["one", "two"])
    soon(lambda: log_size(path) == 0)
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    copied = SqliteEngine(copy)
    assert read(copied, ids) == [1, 2]
    copied.close()
    write(engine, add(3))
    assert read(engine, ids) == [1, 2, 3]
    soon(lambda: log_size(path) == 0)


def test_a_reader_under_way_is_waited_for(engine: SqliteEngine, path: Path):
    make_things(engine, ["one"])
    soon(lambda: log_size(path) == 0)
    write(engine, add(2))
    begun, go_on = threading.Event(), threading.Event()

    def hold(sql: Sql) -> list[int]:
        found = ids(sql)
        begun.set()
        assert go_on.wait(PATIENCE)
        return found + ids(sql)

    holding = engine.read(hold)
    assert begun.wait(PATIENCE)
    write(engine, add(3))
    assert log_size(path) > 0
    for number in range(4, 20):
        write(engine, add(number))
    go_on.set()
    assert holding.result(PATIENCE) == [1, 2, 1, 2]
    soon(lambda: log_size(path) == 0)


def test_several_engines_fold_one_log_and_lose_nothing(engine: SqliteEngine, path: Path):
    make_things(engine)
    other = SqliteEngine(path)
    other.watch(lambda: None)
    for number in range(0, 40, 2):
        write(engine, add(number))
        write(other, add(number + 1))
    soon(lambda: log_size(path) == 0)
    assert read(engine, ids) == read(other, ids) == list(range(40))
    other.close()


@pytest.mark.parametrize("serve", [StdioServer, HttpServer])
def test_a_server_at_rest_has_an_empty_log_and_goes_on_from_there(
    serve: type[StdioServer] | type[HttpServer], tmp_path: Path
):
    server = serve(environment(tmp_path / "data"))
    try:
        if isinstance(server, StdioServer):
            server.initialize()
        for content in ("one", "two"):
            server.call("thought_record", sessionId="s1", thoughtType="note", content=content)
            soon(lambda: log_size(tmp_path / "data" / "thoughtbox.db") == 0)
        assert server.call("ledger_verify")["records"] == 2
    finally:
        server.stop()
