"""What only SQLite has: a store in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.conformance.store import add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.errors import StorageError


@pytest.fixture
def memory() -> Iterator[SqliteEngine]:
    engine = SqliteEngine(None)
    yield engine
    engine.close()


def test_a_store_in_memory_keeps_what_was_written(memory: SqliteEngine):
    make_things(memory)
    write(memory, add(1))
    assert read(memory, ids) == [1]


def test_a_read_of_a_store_in_memory_cannot_write(memory: SqliteEngine):
    make_things(memory)
    with pytest.raises(StorageError):
        read(memory, add(1))
    write(memory, add(2))
    assert read(memory, ids) == [2]


def test_a_read_of_a_store_in_memory_tells_nobody(memory: SqliteEngine):
    """Who looks at every notice would otherwise never stop looking."""
    make_things(memory)
    looked: list[list[int]] = []
    done = threading.Event()

    def look() -> None:
        memory.read(ids).add_done_callback(lambda future: (looked.append(future.result()), done.set()))

    memory.watch(look)
    write(memory, add(1))
    assert done.wait(PATIENCE)
    for _ in range(10):
        read(memory, ids)
    assert looked == [[1]]


def test_a_store_in_memory_survives_a_batch_that_failed(memory: SqliteEngine):
    make_things(memory, ["kept"])

    def refuse(sql: Sql) -> None:
        raise ValueError

    def enter(sql: Sql) -> None:
        sql.before_commit["step"] = refuse

    assert isinstance(memory.write("lane", enter).exception(PATIENCE), ValueError)
    assert read(memory, ids) == [1]


def test_closing_leaves_no_file_open(tmp_path):
    path = tmp_path / "store.db"
    engine = SqliteEngine(path)
    make_things(engine)
    read(engine, ids)
    engine.close()
    # SQLite removes its log with the last connection.
    assert not path.with_name("store.db-wal").exists()
