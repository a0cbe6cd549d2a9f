"""Statements are written once; PostgreSQL gets them in its own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.engine.migrations import statements, steps
from thoughtbox.engine.postgres_words import in_postgres_words


def said(statement: str) -> str:
    return in_postgres_words(statement).text.decode()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT a FROM t WHERE b = ? AND c > ?", "SELECT a FROM t WHERE b = $1 AND c > $2"),
        ("SELECT '?', ? FROM t", "SELECT '?', $1 FROM t"),
        ("SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"),
        ('SELECT "what?" FROM t WHERE a = ?', 'SELECT "what?" FROM t WHERE a = $1'),
        ("SELECT a -- really?\n FROM t WHERE b = ?", "SELECT a -- really?\n FROM t WHERE b = $1"),
        ("SELECT /* ? */ ?", "SELECT /* ? */ $1"),
        ("SELECT '100%' || ?", "SELECT '100%' || $1"),
        ("SELECT CAST(? AS INTEGER)", "SELECT CAST($1 AS INTEGER)"),
    ],
)
def test_parameters_are_numbered_and_quoted_text_is_left_alone(statement: str, words: str):
    assert said(statement) == words


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "CREATE TABLE t (a TEXT NOT NULL, b INTEGER, c BLOB, d REAL, PRIMARY KEY (a)) STRICT, WITHOUT ROWID",
            'CREATE TABLE t (a TEXT COLLATE "C" NOT NULL, b BIGINT, c BYTEA, d DOUBLE PRECISION, PRIMARY KEY (a))',
        ),
        ("CREATE TABLE t (a INTEGER) STRICT", "CREATE TABLE t (a BIGINT)"),
        ("CREATE TABLE t (a INTEGER) WITHOUT ROWID", "CREATE TABLE t (a BIGINT)"),
        (
            "create table if not exists t (a INTEGER, text TEXT)\nstrict\n",
            'create table if not exists t (a BIGINT, text TEXT COLLATE "C")',
        ),
        ("CREATE TABLE texts (text_id BIGINT)", "CREATE TABLE texts (text_id BIGINT)"),
        (
            "CREATE TABLE t (a TEXT DEFAULT 'TEXT' CHECK (a <> CAST(1 AS TEXT)))",
            "CREATE TABLE t (a TEXT COLLATE \"C\" DEFAULT 'TEXT' CHECK (a <> CAST(1 AS TEXT)))",
        ),
    ],
)
def test_tables_are_defined_in_postgresqls_types(statement: str, words: str):
    assert said(statement) == words


def test_only_the_definition_of_a_table_has_its_types_changed():
    assert said("CREATE INDEX t_by_text ON t (integer)") == "CREATE INDEX t_by_text ON t (integer)"


def test_every_migration_is_rid_of_sqlites_words():
    for _, script in steps("postgres"):
        for statement in statements(script):
            assert not {"BLOB", "STRICT", "ROWID", "INTEGER"} & set(said(statement).replace(",", " ").split())


@given(st.lists(st.sampled_from(["?", "'a?'", '"b?"', "-- c?\n", "/* d? */", " x ", "''", "%", "$$"]), max_size=12))
def test_what_is_quoted_stays_as_it_is_whatever_stands_around_it(parts: list[str]):
    statement = " ".join(parts)
    expected = [f"${parts[: place + 1].count('?')}" if part == "?" else part for place, part in enumerate(parts)]
    assert said(statement) == " ".join(expected)


@pytest.mark.parametrize(
    ("statement", "writes"),
    [
        ("SELECT 1", False),
        ("  select 1", False),
        ("INSERT INTO t VALUES (1)", True),
        ("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", True),
        ("DELETE FROM t RETURNING a", True),
    ],
)
def test_what_may_change_something_is_known(statement: str, writes: bool):
    assert in_postgres_words(statement).writes is writes
