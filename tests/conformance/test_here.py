"""What `here` promises: the same as ever, in the calling thread where nothing else is under way, and never a wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from tests.conformance.store import Gate, Store, add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import StorageError

THREADS = 4
SEED = 20_260_728


class Refused(Exception):
    """A caller's own error."""


def refuse_behind(number: int) -> Callable[[Sql], None]:
    def work(sql: Sql) -> None:
        add(number)(sql)
        raise Refused(number)

    return work


def test_a_write_and_a_read_here_come_to_what_they_come_to_elsewhere(engine: Engine):
    make_things(engine, ["one"])
    engine.write("lane", add(2), here=True).result(PATIENCE)
    assert engine.read(ids, here=True).result(PATIENCE) == read(engine, ids) == [1, 2]


def test_a_write_here_that_raises_leaves_nothing_and_the_next_goes_on(engine: Engine):
    make_things(engine)
    with pytest.raises(Refused):
        engine.write("lane", refuse_behind(1), here=True).result(PATIENCE)
    with pytest.raises(StorageError):
        engine.write("lane", lambda sql: sql.run("INSERT INTO nowhere VALUES (1)"), here=True).result(PATIENCE)
    engine.write("lane", add(2), here=True).result(PATIENCE)
    assert read(engine, ids) == [2]


def test_a_read_here_that_raises_is_told_so_and_the_next_goes_on(engine: Engine):
    make_things(engine, ["one"])
    with pytest.raises(StorageError):
        engine.read(lambda sql: sql.rows("SELECT * FROM nowhere"), here=True).result(PATIENCE)
    assert engine.read(ids, here=True).result(PATIENCE) == [1]


def test_what_is_written_here_waits_for_nobody_and_comes_behind_what_came_before(engine: Engine):
    make_things(engine)
    order: list[str] = []
    gate = Gate(engine)
    before = engine.write("lane", lambda sql: order.append("before"))
    here = engine.write("lane", lambda sql: order.append("here"), here=True)
    behind = engine.write("lane", lambda sql: order.append("behind"))
    assert not here.done()  # or nobody would have come to this line
    gate.open()
    for future in (before, here, behind):
        future.result(PATIENCE)
    assert order == ["before", "here", "behind"]


def test_one_that_could_not_be_done_here_can_still_be_taken_back(engine: Engine):
    make_things(engine)
    gate = Gate(engine)
    waiting = engine.write("lane", add(1), here=True)
    assert waiting.cancel()
    gate.open()
    assert read(engine, ids) == []


def test_work_that_asks_for_more_work_here_gets_it_done_afterwards_in_a_transaction_of_its_own(engine: Engine):
    make_things(engine)
    asked: list[Future[Any]] = []

    def outer(sql: Sql) -> None:
        add(1)(sql)
        asked.append(engine.write("lane", add(2), here=True))
        assert not asked[0].done()
        raise Refused

    with pytest.raises(Refused):
        engine.write("lane", outer, here=True).result(PATIENCE)
    asked[0].result(PATIENCE)
    assert read(engine, ids) == [2]


def test_a_callback_that_asks_for_more_work_here_gets_it(engine: Engine):
    make_things(engine)
    asked: Future[Any] = Future()

    def go_on(_: Future[Any]) -> None:
        engine.write("lane", add(2), here=True).add_done_callback(lambda done: asked.set_result(done.exception()))

    engine.write("lane", add(1)).add_done_callback(go_on)
    assert asked.result(PATIENCE) is None
    assert read(engine, ids) == [1, 2]


def test_closing_waits_for_who_writes_here_and_for_those_behind(store: Store):
    engine = store.open()
    make_things(engine)
    entered, go_on = threading.Event(), threading.Event()

    def hold(sql: Sql) -> None:
        add(1)(sql)
        entered.set()
        assert go_on.wait(PATIENCE)

    with ThreadPoolExecutor(2) as threads:
        holding = threads.submit(lambda: engine.write("lane", hold, here=True).result(PATIENCE))
        assert entered.wait(PATIENCE)
        behind = engine.write("lane", add(2), here=True)
        closing = threads.submit(engine.close)
        while not (late := engine.write("lane", lambda sql: None, here=True)).done():
            time.sleep(0.01)  # it came before the closing, and waits
        assert isinstance(late.exception(), StorageError)
        go_on.set()
        holding.result(PATIENCE)
        behind.result(PATIENCE)
        closing.result(PATIENCE)
    assert read(store.open(), ids) == [1, 2]


def test_a_read_here_that_is_under_way_is_broken_off_by_the_closing_and_others_are_refused(store: Store):
    engine = store.open()
    make_things(engine, ["one"])
    entered = threading.Event()

    def read_on(sql: Sql) -> None:
        entered.set()
        sql.rows("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n")

    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(lambda: engine.read(read_on, here=True).result(PATIENCE))
        assert entered.wait(PATIENCE)
        engine.close()
        assert isinstance(reading.exception(PATIENCE), StorageError)
    assert isinstance(engine.read(ids, here=True).exception(PATIENCE), StorageError)


@pytest.mark.parametrize("seed", range(3))
def test_any_schedule_of_work_here_and_elsewhere_is_some_order_that_keeps_that_of_each_thread(
    engine: Engine, seed: int
):
    """Writes, reads and failures of several threads: what is left is what each has been told, in its own order."""
    make_things(engine)
    write(
        engine, lambda sql: sql.run("CREATE TABLE told (place INTEGER NOT NULL PRIMARY KEY, thread INTEGER, n INTEGER)")
    )

    def put(thread: int, number: int, *, fails: bool) -> Callable[[Sql], int]:
        def work(sql: Sql) -> int:
            row = sql.row("SELECT COALESCE(MAX(place), 0) + 1 FROM told")
            assert row is not None
            sql.run("INSERT INTO told (place, thread, n) VALUES (?, ?, ?)", (row[0], thread, number))
            if fails:
                raise Refused
            return row[0]

        return work

    def seen_by(thread: int) -> Callable[[Sql], list[int]]:
        own = "SELECT n FROM told WHERE thread = ? ORDER BY place"
        return lambda sql: [row[0] for row in sql.rows(own, (thread,))]

    def live(thread: int) -> list[int]:
        chance = Random(SEED + 100 * seed + thread)
        waiting: list[tuple[int, Future[int]]] = []
        told: list[int] = []
        for number in range(60):
            fails = chance.random() < 0.2
            asked = engine.write("lane", put(thread, number, fails=fails), here=chance.random() < 0.6)
            if fails:
                assert isinstance(asked.exception(PATIENCE), Refused)
                continue
            waiting.append((number, asked))
            told.append(number)
            if chance.random() < 0.5:
                for _, future in waiting:
                    future.result(PATIENCE)
                waiting.clear()
                assert engine.read(seen_by(thread), here=chance.random() < 0.6).result(PATIENCE) == told
        for _, future in waiting:
            future.result(PATIENCE)
        return told

    with ThreadPoolExecutor(THREADS) as threads:
        lives = list(threads.map(live, range(THREADS)))
    rows = read(engine, lambda sql: sql.rows("SELECT place, thread, n FROM told ORDER BY place"))
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    assert [[n for _, owner, n in rows if owner == thread] for thread in range(THREADS)] == lives
