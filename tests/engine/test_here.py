"""Work in the calling thread, on SQLite: when it is done there, and what is in its way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from tests.conformance.store import Gate, add, ids, make_things, read
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.sqlite import READERS, SqliteEngine
from thoughtbox.engine.turnstile import Turnstile
from thoughtbox.errors import StorageDamaged


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture(params=["file", "memory"])
def engine(path: Path, request: pytest.FixtureRequest) -> Iterator[SqliteEngine]:
    engine = SqliteEngine(path if request.param == "file" else None)
    make_things(engine)
    yield engine
    engine.close()


@pytest.fixture
def shared(path: Path) -> Iterator[SqliteEngine]:
    """On a file that others may hold."""
    engine = SqliteEngine(path)
    make_things(engine)
    yield engine
    engine.close()


def whereabouts(sql: Sql) -> int:
    return threading.get_ident()


def test_who_is_alone_does_the_work_and_it_is_done_at_once(engine: SqliteEngine):
    for asked in (engine.write("lane", whereabouts, here=True), engine.read(whereabouts, here=True)):
        assert asked.done()
        assert asked.result() == threading.get_ident()
    assert engine.write("lane", whereabouts).result(PATIENCE) != threading.get_ident()


def test_a_long_read_is_never_done_here(engine: SqliteEngine):
    assert engine.read(whereabouts, long=True, here=True).result(PATIENCE) != threading.get_ident()


def test_the_same_connection_is_used_here_and_elsewhere_and_what_it_learnt_holds(engine: SqliteEngine):
    def learn(sql: Sql) -> None:
        sql.run("INSERT INTO things (id, name) VALUES (1, 'one')")
        sql.learnt["word"] = "kept"

    def recall(sql: Sql) -> object:
        assert not sql.memo
        return sql.learnt.get("word")

    engine.write("lane", learn, here=True).result(PATIENCE)
    assert engine.write("lane", recall).result(PATIENCE) == "kept"
    assert engine.write("lane", recall, here=True).result(PATIENCE) == "kept"


def test_while_another_process_has_its_turn_work_asked_for_here_queues(shared: SqliteEngine, path: Path):
    turnstile = Turnstile(path)
    with turnstile:
        waiting = shared.write("lane", add(1), here=True)
        assert not waiting.done()
    waiting.result(PATIENCE)
    assert read(shared, ids) == [1]
    turnstile.close()


def test_while_another_process_waits_in_the_doorway_it_goes_first(shared: SqliteEngine, path: Path):
    fcntl = pytest.importorskip("fcntl")
    with Path(f"{path}-door").open("r+b") as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        waiting = shared.write("lane", add(1), here=True)
        assert not waiting.done()
    waiting.result(PATIENCE)


def test_while_somebody_holds_sqlites_own_lock_work_asked_for_here_queues(shared: SqliteEngine, path: Path):
    foreign = apsw.Connection(str(path))
    foreign.execute("BEGIN IMMEDIATE")
    waiting = shared.write("lane", add(1), here=True)
    assert not waiting.done()
    foreign.execute("ROLLBACK")
    foreign.close()
    waiting.result(PATIENCE)
    assert shared.write("lane", whereabouts, here=True).result(PATIENCE) == threading.get_ident()


def test_what_others_put_behind_work_done_here_shares_a_commit_in_the_writers_thread(engine: SqliteEngine):
    entered, go_on = threading.Event(), threading.Event()

    def hold(sql: Sql) -> int:
        entered.set()
        assert go_on.wait(PATIENCE)
        return threading.get_ident()

    with ThreadPoolExecutor(1) as threads:
        holding = threads.submit(lambda: engine.write("lane", hold, here=True).result(PATIENCE))
        assert entered.wait(PATIENCE)
        behind = [engine.write("lane", whereabouts, here=True) for _ in range(3)]
        go_on.set()
        found = {future.result(PATIENCE) for future in behind}
    assert len(found) == 1
    assert not found & {threading.get_ident(), holding.result()}


def test_when_as_many_read_as_there_are_connections_a_read_here_queues(shared: SqliteEngine):
    entered, go_on = threading.Semaphore(0), threading.Event()

    def hold(sql: Sql) -> None:
        entered.release()
        assert go_on.wait(PATIENCE)

    holding = [shared.read(hold) for _ in range(READERS)]
    for _ in holding:
        assert entered.acquire(timeout=PATIENCE)
    waiting = shared.read(whereabouts, here=True)
    assert not waiting.done()
    go_on.set()
    assert waiting.result(PATIENCE) != threading.get_ident()
    for future in holding:
        future.result(PATIENCE)
    assert shared.read(whereabouts, here=True).result(PATIENCE) == threading.get_ident()


def test_a_read_here_sees_what_was_committed_and_nothing_of_a_write_under_way(shared: SqliteEngine):
    shared.write("lane", add(1), here=True).result(PATIENCE)
    gate = Gate(shared)
    shared.write("lane", add(2))
    assert shared.read(ids, here=True).result(PATIENCE) == [1]
    gate.open()


def test_a_connection_lost_here_is_replaced_and_the_call_told_what_others_are_told(shared: SqliteEngine):
    session = shared._writer._session
    assert session is not None

    def lose(sql: Sql) -> None:
        add(1)(sql)
        session.close()

    first = shared.write("lane", lose, here=True)
    assert first.exception(PATIENCE) is not None
    shared.write("lane", add(2), here=True).result(PATIENCE)
    assert shared.write("lane", whereabouts, here=True).result(PATIENCE) == threading.get_ident()
    assert read(shared, ids) == [2]


def test_a_store_that_has_lost_records_is_not_written_to_here_either(shared: SqliteEngine):
    shared._damage = StorageDamaged("records are gone")
    assert isinstance(shared.write("lane", add(1), here=True).exception(PATIENCE), StorageDamaged)
