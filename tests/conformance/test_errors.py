"""What goes wrong in the store reaches the caller as one of our errors, inside the call and outside."""

from __future__ import annotations

import pytest

from tests.conformance.store import Store, add, ids, make_things, read, write
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import StorageDamaged, StorageError


@pytest.mark.parametrize(
    "statement", ["SELECT * FROM nowhere", "SELECT FROM WHERE", "NOT EVEN SQL", "SELECT missing FROM things"]
)
def test_a_statement_that_makes_no_sense_is_a_storage_error(engine: Engine, statement: str):
    make_things(engine)
    for run in (read, write):
        with pytest.raises(StorageError) as caught:
            run(engine, lambda sql: sql.rows(statement))
        assert caught.value.code == "STORAGE_ERROR"
        assert caught.value.recovery


def test_a_broken_rule_of_a_table_is_a_storage_error(engine: Engine):
    make_things(engine, ["first"])
    with pytest.raises(StorageError):
        write(engine, add(1))
    with pytest.raises(StorageError):
        write(engine, lambda sql: sql.run("INSERT INTO things (id, name) VALUES (?, ?)", (None, "x")))
    with pytest.raises(StorageError):
        write(engine, lambda sql: sql.many("INSERT INTO things (id, name) VALUES (?, ?)", [(5, "a"), (5, "b")]))
    assert read(engine, ids) == [1]


def test_a_call_sees_the_storage_error_itself(engine: Engine):
    make_things(engine, ["first"])

    def work(sql: Sql) -> str:
        try:
            sql.run("INSERT INTO things (id, name) VALUES (1, 'again')")
        except StorageError as error:
            raise LookupError(error.code) from error
        return "no error"

    with pytest.raises(LookupError, match="STORAGE_ERROR"):
        write(engine, work)


@pytest.mark.parametrize("method", ["rows", "row", "run", "scan", "many", "lock"])
def test_every_way_to_run_a_statement_gives_our_errors(engine: Engine, method: str):
    def work(sql: Sql) -> None:
        if method == "many":
            sql.many("INSERT INTO nowhere (id) VALUES (?)", [(1,)])
        else:
            found = getattr(sql, method)("SELECT id FROM nowhere")
            list(found or ())

    with pytest.raises(StorageError):
        write(engine, work)


def test_a_store_that_cannot_be_reached_says_so_when_opened(store: Store, tmp_path):
    if store.dialect == "sqlite":
        damaged = tmp_path / "damaged.db"
        damaged.write_bytes(b"this is not a database, however long one looks at it" * 100)
        with pytest.raises(StorageDamaged):
            Store(str(damaged)).open()
    else:
        with pytest.raises(StorageError, match="cannot be reached"):
            Store("postgresql://127.0.0.1:1/nothing").open()
