"""Work that needs temporary tables: they hide the stored ones, change nothing, and hold nobody up."""

from __future__ import annotations

import threading
from contextlib import suppress

import pytest

from tests.conformance.store import Store, add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import StorageError

ALL = "SELECT id, name FROM things ORDER BY id"
HIDE = "CREATE TEMP TABLE things (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT, WITHOUT ROWID"


def test_a_temporary_table_hides_the_stored_one_of_its_name_and_is_gone_afterwards(engine: Engine):
    make_things(engine, ["kept"])

    def work(sql: Sql) -> tuple[object, object]:
        before = sql.rows(ALL)
        sql.run(HIDE)
        sql.many("INSERT INTO things (id, name) VALUES (?, ?)", [(7, "made"), (8, "too")])
        return before, list(sql.scan(ALL))

    for _ in range(3):
        assert engine.scratch(work).result(PATIENCE) == ([(1, "kept")], [(7, "made"), (8, "too")])
        assert read(engine, lambda sql: sql.rows(ALL)) == [(1, "kept")]


@pytest.mark.parametrize("statement", ["INSERT INTO things (id, name) VALUES (2, 'new')", "DROP TABLE things"])
def test_nothing_that_it_does_lasts(engine: Engine, statement: str):
    make_things(engine, ["kept"])

    with suppress(StorageError):
        engine.scratch(lambda sql: sql.run(statement)).result(PATIENCE)

    assert read(engine, lambda sql: sql.rows(ALL)) == [(1, "kept")]


def test_it_keeps_its_snapshot_and_nobody_who_writes_waits_for_it(engine: Engine, store: Store):
    make_things(engine, ["old"])
    begun, written = threading.Event(), threading.Event()

    def work(sql: Sql) -> tuple[list[int], list[int]]:
        before = ids(sql)
        sql.run("CREATE TEMP TABLE more (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
        sql.run("INSERT INTO more (id) SELECT id FROM things")
        begun.set()
        assert written.wait(PATIENCE)
        return before, ids(sql)

    working = engine.scratch(work)
    assert begun.wait(PATIENCE)
    write(engine, add(2))
    write(store.open(), add(3))
    written.set()
    assert working.result(PATIENCE) == ([1], [1])
    assert read(engine, ids) == [1, 2, 3]


def test_work_that_fails_leaves_the_next_one_nothing(engine: Engine):
    make_things(engine, ["kept"])

    def fail(sql: Sql) -> None:
        sql.run(HIDE)
        sql.run("SELECT * FROM nowhere")

    with pytest.raises(StorageError):
        engine.scratch(fail).result(PATIENCE)
    assert engine.scratch(lambda sql: sql.rows(ALL)).result(PATIENCE) == [(1, "kept")]


def test_a_closed_engine_refuses_it(engine: Engine):
    engine.close()
    with pytest.raises(StorageError, match="closed"):
        engine.scratch(ids).result(PATIENCE)
