"""What only PostgreSQL can do to us: lost connections, other servers, a commit whose outcome nobody knows."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.conformance.store import Store, add, ids, in_one_batch, make_things, read, write
from tests.conformance.test_sharing import Ear
from tests.support.forks import PATIENCE
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.engine import postgres_connection
from thoughtbox.engine.postgres import PostgresEngine
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import ConfigurationError, StorageBusy, StorageError


@pytest.fixture
def admin(postgres: Store) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres.address, autocommit=True) as connection:
        yield connection


def backend(sql: Sql) -> int:
    row = sql.row("SELECT pg_backend_pid()")
    assert row
    return row[0]


def cut(admin: psycopg.Connection, pid: int) -> None:
    """End a connection from the server's side, and wait until it is gone."""
    admin.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))


def test_a_write_whose_connection_is_lost_fails_and_the_next_takes_another(engine: Engine, admin: psycopg.Connection):
    make_things(engine)

    def lose(sql: Sql) -> None:
        add(1)(sql)
        cut(admin, backend(sql))
        add(2)(sql)

    with pytest.raises(StorageError) as caught:
        write(engine, lose)
    assert "outcome" not in caught.value.details
    write(engine, add(3))
    assert read(engine, ids) == [3]


def test_all_calls_of_a_batch_fail_with_the_connection(engine: Engine, admin: psycopg.Connection):
    make_things(engine)

    def lose(sql: Sql) -> None:
        cut(admin, backend(sql))
        ids(sql)

    before, lost, after = in_one_batch(engine, add(1), lose, add(2))
    assert isinstance(before.exception(), StorageError)
    assert isinstance(lost.exception(), StorageError)
    assert after.exception() is None
    assert read(engine, ids) == [2]


def test_a_call_that_passes_over_the_loss_of_its_connection_fails_all_the_same(
    engine: Engine, admin: psycopg.Connection
):
    make_things(engine)

    def lose(sql: Sql) -> None:
        add(1)(sql)
        cut(admin, backend(sql))

    with pytest.raises(StorageError):
        write(engine, lose)
    assert read(engine, ids) == []


def test_a_call_that_passes_over_a_failed_statement_fails_all_the_same(engine: Engine):
    make_things(engine, ["first"])

    def pass_over(sql: Sql) -> None:
        with pytest.raises(StorageError):
            add(1)(sql)

    passed, after = in_one_batch(engine, pass_over, add(2))
    assert isinstance(passed.exception(), StorageError)
    assert after.exception() is None
    assert read(engine, ids) == [1, 2]


def test_a_connection_lost_while_idle_is_not_noticed_by_anyone(engine: Engine, admin: psycopg.Connection):
    make_things(engine)
    for number in (1, 2):
        cut(admin, write(engine, backend))
        cut(admin, read(engine, backend))
        write(engine, add(number))
        assert read(engine, ids)[-1] == number


def test_a_read_whose_connection_is_lost_fails_and_the_next_takes_another(engine: Engine, admin: psycopg.Connection):
    make_things(engine, ["kept"])

    def lose(sql: Sql) -> None:
        cut(admin, backend(sql))
        ids(sql)

    with pytest.raises(StorageError):
        read(engine, lose)
    assert read(engine, ids) == [1]


def test_a_commit_that_was_cut_off_says_that_nobody_knows(engine: Engine):
    make_things(engine)

    def cut_off_at_commit(sql: Sql) -> None:
        sql.run(
            "CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS"
            " 'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END'"
        )
        sql.run(
            "CREATE CONSTRAINT TRIGGER cut_off AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW WHEN (new.id = 1) EXECUTE FUNCTION cut_off()"
        )

    write(engine, cut_off_at_commit)
    with pytest.raises(StorageError, match="may be there or not") as caught:
        write(engine, add(1))
    assert caught.value.details == {"outcome": "unknown"}
    write(engine, add(2))
    assert read(engine, ids) == [2]


def test_a_commit_that_was_refused_says_so(engine: Engine):
    def make(sql: Sql) -> None:
        sql.run("CREATE TABLE deferred (id INTEGER UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        sql.run("INSERT INTO deferred (id) VALUES (1)")

    write(engine, make)
    with pytest.raises(StorageError, match="duplicate key") as caught:
        write(engine, lambda sql: sql.run("INSERT INTO deferred (id) VALUES (1)"))
    assert "outcome" not in caught.value.details
    assert read(engine, lambda sql: sql.rows("SELECT id FROM deferred")) == [(1,)]


def test_a_watcher_hears_again_after_its_connection_was_lost(
    postgres: Store, engine: Engine, admin: psycopg.Connection
):
    make_things(engine)
    ear = Ear(engine)
    ear.settle()
    listening = admin.execute("SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN thoughtbox'").fetchall()
    for (pid,) in listening:
        cut(admin, pid)
    ear.hears()
    write(postgres.open(), add(1))
    ear.hears()


def test_a_call_that_wrote_nothing_tells_nobody(engine: Engine, admin: psycopg.Connection):
    make_things(engine)
    admin.execute("LISTEN thoughtbox")
    write(engine, ids)
    write(engine, add(1))
    schema = admin.execute("SELECT current_schema()").fetchone()
    heard = [notice for notice in admin.notifies(timeout=PATIENCE, stop_after=1) if (notice.payload,) == schema]
    heard += [notice for notice in admin.notifies(timeout=0) if (notice.payload,) == schema]
    assert len(heard) == 1


def test_lanes_are_written_side_by_side(engine: Engine):
    make_things(engine)
    here, there = threading.Event(), threading.Event()

    def meet(mine: threading.Event, yours: threading.Event):
        def work(sql: Sql) -> bool:
            mine.set()
            return yours.wait(PATIENCE)

        return work

    meeting = [engine.write("one", meet(here, there)), engine.write("other", meet(there, here))]
    assert [future.result(PATIENCE) for future in meeting] == [True, True]


def test_a_lane_is_written_by_one_at_a_time(engine: Engine):
    inside = 0
    most = 0

    def work(sql: Sql) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        sql.row("SELECT 1")
        inside -= 1

    for future in [engine.write("lane", work) for _ in range(500)]:
        future.result(PATIENCE)
    assert most == 1


def test_a_workspace_held_too_long_is_busy(postgres: Store, monkeypatch: pytest.MonkeyPatch):
    holder = postgres.open()
    make_things(holder, ["held"])
    monkeypatch.setattr(postgres_connection, "LOCK_SECONDS", 1)
    waiter = postgres.open()
    held, go_on = threading.Event(), threading.Event()

    def hold(sql: Sql) -> None:
        sql.lock("SELECT id FROM things WHERE id = 1")
        held.set()
        assert go_on.wait(PATIENCE)

    holding = holder.write("lane", hold)
    assert held.wait(PATIENCE)
    with pytest.raises(StorageBusy):
        write(waiter, lambda sql: sql.lock("SELECT id FROM things WHERE id = 1"))
    go_on.set()
    holding.result(PATIENCE)
    assert write(waiter, lambda sql: sql.lock("SELECT id FROM things WHERE id = 1")) == (1,)


def test_two_stores_in_one_database_do_not_touch_each_other(engine: Engine, request: pytest.FixtureRequest):
    make_things(engine)
    with fresh_schema(server_url(request.config)) as url:
        other = Store(url)
        neighbour = other.open()
        make_things(neighbour)
        write(neighbour, add(1))
        write(engine, add(2))
        assert (read(neighbour, ids), read(engine, ids)) == ([1], [2])
        other.close()


@pytest.mark.parametrize(("durability", "setting"), [("full", "on"), ("normal", "off")])
def test_durability_is_what_was_asked_for(postgres_url: str, durability, setting: str):
    engine = PostgresEngine(postgres_url, durability=durability)
    try:
        assert write(engine, lambda sql: sql.row("SHOW synchronous_commit")) == (setting,)
    finally:
        engine.close()


def test_a_schema_that_does_not_exist_is_explained(postgres_url: str):
    with pytest.raises(StorageError, match="may not use the store") as caught:
        PostgresEngine(postgres_url + "_missing")
    assert caught.value.recovery


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_url: str, admin: psycopg.Connection):
    name = "latin_" + postgres_url.rpartition("test_")[2]
    admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0".encode())
    try:
        with pytest.raises(ConfigurationError, match="LATIN1"):
            PostgresEngine(make_conninfo(postgres_url, dbname=name))
    finally:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_text_sorts_by_code_point_whatever_the_databases_locale(engine: Engine):
    make_things(engine)
    collation = (
        "SELECT collname FROM pg_collation JOIN pg_attribute ON pg_collation.oid = attcollation"
        " WHERE attrelid = 'things'::regclass AND attname = 'name'"
    )
    assert read(engine, lambda sql: sql.row(collation)) == ("C",)
