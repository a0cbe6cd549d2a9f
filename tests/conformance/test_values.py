"""What is written comes back the same, and sorts the same, on every engine."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conformance.store import read, write
from thoughtbox.engine.protocol import Engine, Sql

VALUES = "CREATE TABLE kept (id INTEGER NOT NULL PRIMARY KEY, t TEXT, i INTEGER, b BLOB, r REAL) STRICT, WITHOUT ROWID"

# PostgreSQL has no text with a NUL in it; the ledger refuses one before it gets here.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
integers = st.integers(-(2**63), 2**63 - 1)

quickly = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


@pytest.fixture
def kept(engine: Engine) -> Engine:
    write(engine, lambda sql: sql.run(VALUES))
    return engine


def put(engine: Engine, column: str, values: list[Any]) -> list[Any]:
    """What the column holds after these were written, in the order of writing."""

    def work(sql: Sql) -> None:
        sql.run("DELETE FROM kept")
        sql.many(f"INSERT INTO kept (id, {column}) VALUES (?, ?)", list(enumerate(values)))

    write(engine, work)
    return [row[0] for row in read(engine, lambda sql: sql.rows(f"SELECT {column} FROM kept ORDER BY id"))]


@quickly
@given(st.lists(texts))
def test_text_comes_back_as_it_was(kept: Engine, values: list[str]):
    assert put(kept, "t", values) == values


@quickly
@given(st.lists(st.binary()))
def test_bytes_come_back_as_they_were(kept: Engine, values: list[bytes]):
    assert put(kept, "b", values) == values


@quickly
@given(st.lists(integers))
def test_integers_come_back_as_they_were(kept: Engine, values: list[int]):
    assert put(kept, "i", values) == values


@quickly
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_fractions_come_back_as_they_were(kept: Engine, values: list[float]):
    assert put(kept, "r", values) == values


@quickly
@given(st.lists(texts, unique=True))
def test_text_sorts_by_code_point(kept: Engine, values: list[str]):
    put(kept, "t", values)
    assert [row[0] for row in read(kept, lambda sql: sql.rows("SELECT t FROM kept ORDER BY t"))] == sorted(values)


@quickly
@given(texts, texts)
def test_text_compares_by_code_point(kept: Engine, one: str, other: str):
    put(kept, "t", [one])
    assert read(kept, lambda sql: sql.row("SELECT COUNT(*) FROM kept WHERE t < ?", (other,))) == (int(one < other),)


@pytest.mark.parametrize("column", ["t", "i", "b", "r"])
def test_nothing_comes_back_as_none(kept: Engine, column: str):
    assert put(kept, column, [None]) == [None]


def test_an_empty_text_is_not_nothing(kept: Engine):
    assert put(kept, "t", [""]) == [""]
    assert put(kept, "b", [b""]) == [b""]


def test_a_megabyte_comes_back_as_it_was(kept: Engine):
    assert put(kept, "t", ["ü" * 2**20]) == ["ü" * 2**20]
    assert put(kept, "b", [bytes(range(256)) * 2**12]) == [bytes(range(256)) * 2**12]


def test_an_integer_beyond_64_bits_is_refused(kept: Engine):
    with pytest.raises(OverflowError):
        put(kept, "i", [2**63])


def test_a_lone_surrogate_is_refused(kept: Engine):
    with pytest.raises(UnicodeEncodeError):
        put(kept, "t", ["\ud800"])


def test_a_small_and_a_large_integer_go_through_the_same_statement(kept: Engine):
    for number in (1, 2**15, 2**31, 2**53, 1, -1):
        assert read(kept, lambda sql, number=number: sql.row("SELECT i FROM kept WHERE i = ?", (number,))) is None
        assert put(kept, "i", [number]) == [number]
        assert read(kept, lambda sql, number=number: sql.row("SELECT i FROM kept WHERE i = ?", (number,))) == (number,)


def test_truth_is_one_or_zero(kept: Engine):
    assert [type(value) for value in put(kept, "i", [True, False])] == [int, int]
    found = read(kept, lambda sql: sql.row("SELECT 1 = 1, 1 = 2, EXISTS (SELECT 1 FROM kept)"))
    assert [(value, type(value)) for value in found or ()] == [(1, int), (0, int), (1, int)]


def test_sums_of_integers_are_integers(kept: Engine):
    put(kept, "i", [1, 2, 4])
    found = read(kept, lambda sql: sql.row("SELECT SUM(i), COUNT(i), MAX(i), COALESCE(SUM(i), 0) FROM kept"))
    assert [(value, type(value)) for value in found or ()] == [(7, int), (3, int), (4, int), (7, int)]


def test_averages_are_fractions(kept: Engine):
    put(kept, "i", [1, 2])
    assert read(kept, lambda sql: sql.row("SELECT AVG(i) FROM kept")) == (1.5,)


def test_marks_inside_text_are_not_parameters(kept: Engine):
    put(kept, "t", ["100% sure?", "it's"])
    rows = read(kept, lambda sql: sql.rows("SELECT t FROM kept WHERE t LIKE '100%?' AND id = ? AND '%s' <> '$1'", (0,)))
    assert rows == [("100% sure?",)]


def test_a_statement_that_failed_for_its_values_can_be_run_with_others(kept: Engine):
    for _ in range(8):
        with pytest.raises(OverflowError):
            put(kept, "i", [2**63])
        assert put(kept, "i", [5]) == [5]
