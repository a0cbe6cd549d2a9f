"""Several engines and processes on one store: all see everything, and nobody is kept waiting."""

from __future__ import annotations

import threading
from concurrent.futures import wait
from contextlib import ExitStack

import pytest

from tests.conformance.process import add_one
from tests.conformance.store import THINGS, Store, add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine, Sql

COUNTERS = "CREATE TABLE counters (name TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID"


@pytest.fixture
def other(store: Store, engine: Engine) -> Engine:
    """A second engine on the store of the first."""
    return store.open()


def make_counters(engine: Engine, *names: str) -> None:
    def make(sql: Sql) -> None:
        sql.run(COUNTERS)
        sql.many("INSERT INTO counters (name, count) VALUES (?, 0)", [(name,) for name in names])

    write(engine, make)


def count(engine: Engine, name: str) -> int:
    row = read(engine, lambda sql: sql.row("SELECT count FROM counters WHERE name = ?", (name,)))
    assert row
    return row[0]


class Ear:
    """A watcher that can be waited for."""

    def __init__(self, engine: Engine) -> None:
        self._heard = threading.Event()
        self.unwatch = engine.watch(self._heard.set)

    def settle(self) -> None:
        """Wait until the watch is on: it begins with a notice."""
        self.hears()

    def hears(self) -> None:
        assert self._heard.wait(PATIENCE)
        self._heard.clear()


def test_two_engines_see_each_others_commits(engine: Engine, other: Engine):
    make_things(engine)
    for number in range(0, 20, 2):
        write(engine, add(number))
        assert number in read(other, ids)
        write(other, add(number + 1))
        assert number + 1 in read(engine, ids)


def test_a_locked_row_waits_for_its_holder(engine: Engine, other: Engine):
    make_counters(engine, "one")
    held, go_on = threading.Event(), threading.Event()

    def hold(sql: Sql) -> None:
        row = sql.lock("SELECT count FROM counters WHERE name = ?", ("one",))
        assert row
        held.set()
        assert go_on.wait(PATIENCE)
        sql.run("UPDATE counters SET count = ? WHERE name = ?", (row[0] + 10, "one"))

    holding = engine.write("one", hold)
    assert held.wait(PATIENCE)
    waiting = other.write("one", add_one("one"))
    assert not wait([waiting], timeout=0.1).done
    go_on.set()
    holding.result(PATIENCE)
    assert waiting.result(PATIENCE) == 11


def test_locking_a_row_that_is_not_there_gives_none(engine: Engine):
    make_counters(engine)
    assert write(engine, lambda sql: sql.lock("SELECT count FROM counters WHERE name = ?", ("one",))) is None


def test_a_lock_of_a_failed_call_is_let_go(engine: Engine, other: Engine):
    make_counters(engine, "one")

    def hold_and_fail(sql: Sql) -> None:
        add_one("one")(sql)
        raise ValueError

    for _ in range(3):
        assert isinstance(engine.write("one", hold_and_fail).exception(PATIENCE), ValueError)
    assert write(other, add_one("one"), "one") == 1


def test_a_watcher_hears_of_its_own_engines_commits(engine: Engine):
    make_things(engine)
    ear = Ear(engine)
    ear.settle()
    for number in range(3):
        write(engine, add(number))
        ear.hears()


def test_a_watcher_hears_of_another_engines_commits(engine: Engine, other: Engine):
    make_things(engine)
    ear = Ear(engine)
    ear.settle()
    for number in range(3):
        write(other, add(number))
        ear.hears()


def test_a_watcher_hears_of_another_processs_commits(store: Store, engine: Engine):
    make_things(engine)
    ear = Ear(engine)
    ear.settle()
    with store.process("add_thing", 1) as process:
        process.tell("go")
        while not read(engine, ids):
            ear.hears()


def test_what_a_watcher_hears_of_can_be_read(engine: Engine, other: Engine):
    make_things(engine)
    seen: list[list[int]] = []
    complete = threading.Event()

    def look() -> None:
        seen.append(read(engine, ids))
        if len(seen[-1]) == 20:
            complete.set()

    engine.watch(look)
    for number in range(20):
        write(other if number % 2 else engine, add(number))
    assert complete.wait(PATIENCE)


def test_a_watcher_that_fails_does_not_silence_the_others(engine: Engine):
    make_things(engine)

    def fail() -> None:
        raise ValueError("a watcher's own fault")

    engine.watch(fail)
    ear = Ear(engine)
    ear.settle()
    write(engine, add(1))
    ear.hears()


def test_a_watcher_that_left_is_not_called(engine: Engine):
    make_things(engine)
    left = Ear(engine)
    left.settle()  # the watch is on, for those who come later too
    stayed = Ear(engine)
    left.unwatch()
    left._heard.clear()
    write(engine, add(1))
    stayed.hears()
    assert not left._heard.is_set()


def test_processes_that_start_at_once_on_an_empty_store_all_succeed(store: Store):
    with ExitStack() as stack:
        processes = [stack.enter_context(store.process("start")) for _ in range(4)]
        assert [process.says() for process in processes] == ["ready"] * 4
        for process in processes:
            process.tell("go")
        assert [process.says() for process in processes] == ["done"] * 4


def test_processes_that_write_at_once_lose_nothing(store: Store, engine: Engine):
    make_counters(engine, "shared")
    with ExitStack() as stack:
        processes = [stack.enter_context(store.process("count_up", "shared", 40)) for _ in range(3)]
        assert [process.says() for process in processes] == ["ready"] * 3
        for process in processes:
            process.tell("go")
        assert [process.says() for process in processes] == ["done"] * 3
    assert count(engine, "shared") == 120


def test_engines_that_write_to_the_same_rows_never_wait_for_each_other_in_a_ring(engine: Engine, other: Engine):
    """Were two lanes in one transaction, each engine could hold what the other one wants next."""
    make_counters(engine, "a", "b", "c")
    futures = [
        one.write(name, add_one(name))
        for _ in range(60)
        for one, names in ((engine, "abc"), (other, "cba"))
        for name in names
    ]
    assert [future.exception(PATIENCE) for future in futures] == [None] * len(futures)
    assert [count(engine, name) for name in "abc"] == [120, 120, 120]


def test_processes_that_write_without_a_pause_take_turns(store: Store, engine: Engine):
    """Left to SQLite's own lock, one of them makes thousands of commits while the other waits for one."""
    make_counters(engine, "shared")
    with store.process("count_until_told", "shared") as process:
        process.tell("go")
        assert [process.says(), process.says()] == ["ready", "counting"]
        before = count(engine, "shared")
        mine = theirs = 0
        while mine < 100 or theirs < 10:  # a machine with much else to do may leave one of them waiting for a while
            write(engine, add_one("shared"), "shared")
            mine += 1
            theirs = count(engine, "shared") - before - mine
            assert mine < 10_000, "the other one never has its turn"
    assert theirs < 20 * mine


def test_only_one_at_a_time_is_alone_and_who_has_no_patience_is_told(store: Store):
    first, second = store.open(), store.open()
    with first.alone() as is_alone:
        assert is_alone
        for engine in (first, second):
            with engine.alone(patient=False) as is_too:
                assert not is_too
        write(second, lambda sql: sql.run(THINGS))
    with second.alone(patient=False) as is_alone:
        assert is_alone


def test_who_is_alone_stops_being_so_when_their_process_dies(store: Store):
    engine = store.open()
    with store.process("be_alone") as process:
        assert process.says() == "ready"
        process.tell("go")
        assert process.says() == "alone"
        with engine.alone(patient=False) as is_alone:
            assert not is_alone
    with engine.alone() as is_alone:
        assert is_alone


def test_who_waits_to_be_alone_gets_their_turn(store: Store):
    engine = store.open()
    with store.process("be_alone") as process:
        with engine.alone():
            assert process.says() == "ready"
            process.tell("go")
        assert process.says() == "alone"


def test_what_was_learnt_is_forgotten_or_to_be_checked_once_somebody_else_has_written(store: Store):
    first, second = store.open(), store.open()
    make_things(first, ["old"])
    write(first, lambda sql: sql.learnt.update(answer=42))
    assert write(first, lambda sql: sql.learnt.get("answer")) == 42
    write(second, lambda sql: sql.run("UPDATE things SET name = 'new'"))
    holds, answer = write(first, lambda sql: (sql.learnt_holds, sql.learnt.get("answer")))
    assert answer is None or not holds


def test_everybody_sees_how_the_store_stands(store: Store):
    first, second = store.open(), store.open()
    before = read(second, lambda sql: sql.standing())
    write(first, lambda sql: sql.run("UPDATE store SET epoch = epoch + 1, imports = 2"))
    assert read(second, lambda sql: sql.standing()) == (before.epoch + 1, 2)
    assert write(second, lambda sql: sql.standing()) == (before.epoch + 1, 2)


def test_who_holds_the_store_lets_nobody_write_or_see_half_of_it(store: Store):
    engine, other = store.open(), store.open()
    make_things(engine, ["old"])
    held, go_on = threading.Event(), threading.Event()

    def replace(sql: Sql) -> None:
        sql.hold()
        sql.run(THINGS.replace("things", "new_things"))
        sql.run("INSERT INTO new_things (id, name) VALUES (1, 'new')")
        sql.run("DROP TABLE things")
        sql.run("ALTER TABLE new_things RENAME TO things")
        held.set()
        assert go_on.wait(PATIENCE)

    def names(sql: Sql) -> list[str]:
        return [row[0] for row in sql.rows("SELECT name FROM things")]

    replacing = engine.write("", replace)
    assert held.wait(PATIENCE)
    reading = other.read(names)
    go_on.set()
    replacing.result(PATIENCE)
    assert reading.result(PATIENCE) in (["old"], ["new"])
    assert read(other, names) == ["new"]
