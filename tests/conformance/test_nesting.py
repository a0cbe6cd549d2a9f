"""A part of a transaction leaves all it wrote, or nothing."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.conformance.store import add, ids, make_things, read, write
from thoughtbox.engine.protocol import Engine, Head, Sql
from thoughtbox.errors import StorageError

PUT = "INSERT INTO things (id, name) VALUES (?, ?)"


class Refused(Exception):
    pass


def refused(sql: Sql, *numbers: int) -> None:
    """A part that adds things and then fails; what is around it goes on."""
    with suppress(Refused), sql.nested():
        for number in numbers:
            add(number)(sql)
        raise Refused


def test_a_part_that_ends_well_stays(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        add(1)(sql)
        with sql.nested():
            add(2)(sql)
        add(3)(sql)

    write(engine, work)

    assert read(engine, ids) == [1, 2, 3]


def test_a_part_that_fails_leaves_nothing_and_the_rest_stays(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        add(1)(sql)
        refused(sql, 2, 3)
        add(4)(sql)

    write(engine, work)

    assert read(engine, ids) == [1, 4]


def test_parts_nest_as_deep_as_needed_and_each_is_undone_by_itself(engine: Engine):
    make_things(engine)

    def deeper(sql: Sql, level: int) -> None:
        with sql.nested():
            add(level)(sql)
            if level < 40:
                deeper(sql, level + 1)
            refused(sql, 1000 + level)

    write(engine, lambda sql: deeper(sql, 1))

    assert read(engine, ids) == list(range(1, 41))


def test_a_part_takes_the_parts_inside_it_along_when_it_fails(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        with suppress(Refused), sql.nested():
            with sql.nested():
                add(1)(sql)
            raise Refused
        add(2)(sql)

    write(engine, work)

    assert read(engine, ids) == [2]


def test_rows_that_wait_to_be_inserted_belong_to_the_part_that_put_them(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        sql.put(PUT, (1, "before"))
        with suppress(Refused), sql.nested():
            sql.put(PUT, (2, "undone"))
            raise Refused
        with sql.nested():
            sql.put(PUT, (3, "inside"))
        sql.put(PUT, (4, "behind"))

    write(engine, work)

    assert read(engine, ids) == [1, 3, 4]


def test_what_a_failed_part_has_learnt_is_forgotten(engine: Engine):
    make_things(engine)
    done: list[str] = []

    def work(sql: Sql) -> None:
        sql.memo["known"] = 1
        sql.before_commit["first"] = lambda sql: done.append("first")
        with suppress(Refused), sql.nested():
            sql.memo["known"] = 2
            sql.learnt["known"] = 3
            sql.witness["w"] = Head(9, bytes(32))
            sql.before_commit["second"] = lambda sql: done.append("second")
            raise Refused
        assert sql.memo["known"] == 1
        assert sql.learnt == {}
        assert sql.witness == {}

    write(engine, work)

    assert done == ["first"]
    assert engine.witnessed() == {}


def test_a_statement_that_fails_in_a_part_does_not_end_the_transaction(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        add(1)(sql)
        with suppress(StorageError), sql.nested():
            add(2)(sql)
            sql.run("INSERT INTO things (id, name) VALUES (?, ?)", (2, "again"))
        add(3)(sql)

    write(engine, work)

    assert read(engine, ids) == [1, 3]


def test_a_call_that_fails_behind_a_part_that_ended_well_takes_it_along(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> None:
        with sql.nested():
            add(1)(sql)
        raise Refused

    with pytest.raises(Refused):
        write(engine, work)

    assert read(engine, ids) == []
