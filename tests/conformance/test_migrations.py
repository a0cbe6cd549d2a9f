"""A store is brought to the newest step in one transaction, or is left where it was."""

from __future__ import annotations

import pytest

from tests.conformance.store import Store, add, ids, make_things, read, write
from tests.support.interruptions import migrations_interrupted_after
from thoughtbox.engine import migrations
from thoughtbox.engine.protocol import Dialect, Sql
from thoughtbox.errors import SchemaTooNew, StorageError

NEW_TABLE = "CREATE TABLE new_things (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID"


@pytest.fixture
def add_step(monkeypatch: pytest.MonkeyPatch):
    """Make this Thoughtbox know one more step."""
    known = migrations.steps

    def enter(script: str) -> None:
        def steps(dialect: Dialect) -> list[tuple[int, str]]:
            return [*known(dialect), (1000, script)]

        monkeypatch.setattr(migrations, "steps", steps)

    return enter


def done(sql: Sql) -> list[int]:
    return [row[0] for row in sql.rows("SELECT step FROM schema_steps ORDER BY step")]


def test_a_new_store_has_every_step(store: Store):
    engine = store.open()
    assert read(engine, done) == [number for number, _ in migrations.steps(store.dialect)]


def test_a_store_is_migrated_once(store: Store):
    store.open().close()
    engine = store.open()
    assert read(engine, done) == [number for number, _ in migrations.steps(store.dialect)]


def test_a_new_step_keeps_what_is_there(store: Store, add_step):
    engine = store.open()
    make_things(engine)
    write(engine, add(1))
    engine.close()
    add_step(NEW_TABLE)
    engine = store.open()
    assert read(engine, done)[-1] == 1000
    assert read(engine, ids) == [1]
    assert read(engine, lambda sql: sql.rows("SELECT id FROM new_things")) == []


def test_a_step_that_fails_leaves_the_step_before(store: Store, add_step, monkeypatch: pytest.MonkeyPatch):
    store.open().close()
    add_step(f"{NEW_TABLE}; INSERT INTO nowhere (id) VALUES (1)")
    with pytest.raises(StorageError):
        store.open()
    monkeypatch.undo()
    engine = store.open()
    assert 1000 not in read(engine, done)
    write(engine, lambda sql: sql.run(NEW_TABLE))


def test_a_first_start_that_fails_leaves_nothing(store: Store, add_step, monkeypatch: pytest.MonkeyPatch):
    add_step("INSERT INTO nowhere (id) VALUES (1)")
    with pytest.raises(StorageError):
        store.open()
    monkeypatch.undo()
    assert read(store.open(), done) == [number for number, _ in migrations.steps(store.dialect)]


def test_a_store_of_a_newer_thoughtbox_is_refused_and_left_alone(store: Store):
    engine = store.open()
    write(engine, lambda sql: sql.run("INSERT INTO schema_steps (step) VALUES (?)", (9999,)))
    engine.close()
    for _ in range(2):
        with pytest.raises(SchemaTooNew, match="9999"):
            store.open()


def test_a_migration_that_is_interrupted_at_any_statement_leaves_the_steps_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    """Of several steps at once, too: none of them, or all."""
    total = sum(len(migrations.statements(script)) for _, script in migrations.steps(store.dialect))
    for last in range(total):
        with migrations_interrupted_after(last, monkeypatch), pytest.raises(StorageError):
            store.open()
    engine = store.open()
    assert read(engine, done) == [number for number, _ in migrations.steps(store.dialect)]
