"""A read stands on a snapshot, changes nothing, and takes in rows in bounded memory."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.conformance.store import Store, add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine, Row, Sql
from thoughtbox.errors import StorageError

ALL = "SELECT id, name FROM things ORDER BY id"

MANY = 100_000
WIDE = 500


def make_many(engine: Engine, count: int, width: int) -> None:
    make_things(engine)
    write(
        engine,
        lambda sql: sql.run(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
            " INSERT INTO things (id, name) SELECT n, CAST(? AS TEXT) FROM numbers",
            (count, "x" * width),
        ),
    )


def test_a_read_sees_what_was_just_answered(engine: Engine):
    make_things(engine)
    for number in range(50):
        write(engine, add(number))
        assert read(engine, lambda sql: sql.row("SELECT MAX(id) FROM things")) == (number,)


def test_a_read_keeps_its_snapshot_while_writes_go_on(engine: Engine):
    make_things(engine, ["old"])
    begun, written = threading.Event(), threading.Event()

    def look_twice(sql: Sql) -> tuple[list[int], list[int]]:
        before = ids(sql)
        begun.set()
        assert written.wait(PATIENCE)
        return before, ids(sql)

    looking = engine.read(look_twice)
    assert begun.wait(PATIENCE)
    write(engine, add(2))
    written.set()
    assert looking.result(PATIENCE) == ([1], [1])
    assert read(engine, ids) == [1, 2]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO things (id, name) VALUES (2, 'new')",
        "UPDATE things SET name = 'new'",
        "DELETE FROM things",
        "CREATE TABLE more (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID",
        "DROP TABLE things",
    ],
)
def test_a_read_cannot_write(engine: Engine, statement: str):
    make_things(engine, ["kept"])
    with pytest.raises(StorageError):
        read(engine, lambda sql: sql.run(statement))
    assert read(engine, lambda sql: sql.rows(ALL)) == [(1, "kept")]


def test_a_read_that_raises_leaves_its_reader_usable(engine: Engine):
    make_things(engine, ["kept"])
    for statement in ["SELECT * FROM nowhere", "SELECT FROM WHERE"] * 3:
        with pytest.raises(StorageError):
            read(engine, lambda sql, statement=statement: sql.rows(statement))
    assert read(engine, ids) == [1]


def test_a_waiting_read_can_be_cancelled(engine: Engine):
    go_on = threading.Event()
    busy = [engine.read(lambda sql: go_on.wait(PATIENCE)) for _ in range(8)]
    ran: list[int] = []
    waiting = engine.read(lambda sql: ran.append(1))
    assert waiting.cancel()
    go_on.set()
    for future in busy:
        future.result(PATIENCE)
    assert ran == []


def test_one_row_is_the_first_or_none(engine: Engine):
    make_things(engine, ["first", "second"])
    assert read(engine, lambda sql: sql.row(ALL)) == (1, "first")
    assert read(engine, lambda sql: sql.row("SELECT id FROM things WHERE id = ?", (9,))) is None


def test_rows_can_be_asked_of_a_statement_that_writes(engine: Engine):
    make_things(engine)
    returning = "INSERT INTO things (id, name) VALUES (?, ?) RETURNING id, name"
    assert write(engine, lambda sql: sql.rows(returning, (1, "a"))) == [(1, "a")]
    assert write(engine, lambda sql: sql.row(returning, (2, "b"))) == (2, "b")
    assert write(engine, lambda sql: sql.rows("DELETE FROM things")) == []
    assert write(engine, lambda sql: sql.row("DELETE FROM things")) is None


def test_a_scan_gives_all_rows_in_order(engine: Engine):
    make_many(engine, 1000, 1)
    assert read(engine, lambda sql: [row[0] for row in sql.scan(ALL)]) == list(range(1, 1001))


def test_a_scan_of_nothing_gives_nothing(engine: Engine):
    make_things(engine)
    assert read(engine, lambda sql: list(sql.scan(ALL))) == []


def test_a_scan_needs_little_memory_however_many_rows_there_are(engine: Engine):
    make_many(engine, MANY, WIDE)
    process = psutil.Process()

    def growth(sql: Sql) -> tuple[int, int]:
        rows = sql.scan(ALL)
        next(rows)
        gc.collect()
        before, count, most = process.memory_info().rss, 1, 0
        for count, _ in enumerate(rows, 2):
            if count % 5000 == 0:
                most = max(most, process.memory_info().rss - before)
        return count, most

    count, most = read(engine, growth)
    assert count == MANY
    assert most < MANY * WIDE / 4


def test_a_scan_abandoned_half_way_disturbs_nothing(engine: Engine):
    make_many(engine, 1000, 1)

    def glance(sql: Sql) -> int:
        for row in sql.scan(ALL):
            if row[0] == 500:
                break
        return len(sql.rows(ALL))

    assert write(engine, glance) == 1000
    assert read(engine, glance) == 1000
    assert write(engine, glance) == 1000


def test_a_scan_still_held_does_not_hold_back_its_snapshot(engine: Engine):
    make_many(engine, 1000, 1)
    held: list[Iterator[Row]] = []

    def glance(sql: Sql) -> int:
        held.append(sql.scan(ALL))
        next(held[-1])
        return len(sql.rows(ALL))

    assert (read(engine, glance), write(engine, glance)) == (1000, 1000)
    write(engine, add(2000))
    assert (read(engine, glance), write(engine, glance)) == (1001, 1001)


def test_a_scan_let_go_after_its_transaction_disturbs_no_other(engine: Engine):
    make_many(engine, 1000, 1)
    held: list[Iterator[Row]] = []

    def glance(sql: Sql) -> None:
        held.append(sql.scan(ALL))
        next(held[-1])

    def let_go(sql: Sql) -> int:
        sql.row("SELECT 1")
        held.clear()
        return len(sql.rows(ALL))

    write(engine, glance)
    assert write(engine, let_go) == 1000
    read(engine, glance)
    assert read(engine, let_go) == 1000


def test_a_scan_that_outlives_its_transaction_says_so(engine: Engine):
    make_many(engine, 1000, 1)
    rows = read(engine, lambda sql: held_after_one_row(sql))
    with pytest.raises(StorageError):
        list(rows)


def held_after_one_row(sql: Sql) -> Iterator[Row]:
    rows = sql.scan(ALL)
    next(rows)
    return rows


def test_statements_can_run_between_the_rows_of_a_scan(engine: Engine):
    make_many(engine, 600, 1)

    def look_up(sql: Sql) -> int:
        return sum(
            other[0] for row in sql.scan(ALL) for other in sql.scan("SELECT id FROM things WHERE id = ?", (row[0],))
        )

    assert read(engine, look_up) == sum(range(1, 601))


def test_rows_can_be_written_while_others_are_scanned(engine: Engine):
    make_many(engine, 3000, 1)

    def copy(sql: Sql) -> None:
        sql.run("CREATE TABLE copies (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
        sql.many("INSERT INTO copies (id) VALUES (?)", ((row[0],) for row in sql.scan(ALL)))

    write(engine, copy)
    assert read(engine, lambda sql: sql.row("SELECT COUNT(*), MAX(id) FROM copies")) == (3000, 3000)


def test_many_of_nothing_is_nothing(engine: Engine):
    make_things(engine)
    write(engine, lambda sql: sql.many("INSERT INTO things (id, name) VALUES (?, ?)", []))
    assert read(engine, ids) == []


def test_closing_breaks_off_a_long_read(store: Store):
    engine = store.open()
    begun = threading.Event()

    def endless(sql: Sql) -> Any:
        begun.set()
        return sql.row(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000000000)"
            " SELECT COUNT(*) FROM numbers"
        )

    reading = [engine.read(endless) for _ in range(5)]
    assert begun.wait(PATIENCE)
    engine.close()
    assert all(isinstance(future.exception(PATIENCE), StorageError) for future in reading)


def test_long_reads_hold_up_no_short_one(engine: Engine):
    """Three that go on until they are told: short reads and writes pass them by."""
    make_things(engine, ["one"])
    begun, go_on = threading.Event(), threading.Event()

    def take_long(sql: Sql) -> list[int]:
        begun.set()
        assert go_on.wait(PATIENCE)
        return ids(sql)

    long = [engine.read(take_long, long=True) for _ in range(3)]
    assert begun.wait(PATIENCE)
    for number in range(2, 12):
        write(engine, add(number))
        assert read(engine, ids)[-1] == number
    assert not any(future.done() for future in long)
    go_on.set()
    assert [future.result(PATIENCE)[0] for future in long] == [1, 1, 1]


def test_a_long_read_gives_way_and_still_comes_to_its_end(engine: Engine):
    make_many(engine, 20_000, 10)
    long = engine.read(lambda sql: sum(1 for _ in sql.scan(ALL)), long=True)
    while not long.done():
        read(engine, lambda sql: sql.row("SELECT MAX(id) FROM things"))
    assert long.result(PATIENCE) == 20_000


def test_closing_breaks_off_a_read_that_was_said_to_be_long(engine: Engine):
    make_many(engine, 20_000, 10)
    begun = threading.Event()

    def read_for_ever(sql: Sql) -> None:
        while True:
            for _ in sql.scan(ALL):
                begun.set()

    reading = engine.read(read_for_ever, long=True)
    assert begun.wait(PATIENCE)
    engine.close()
    assert isinstance(reading.exception(PATIENCE), StorageError)
