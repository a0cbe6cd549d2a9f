"""Version rows: one statement answers for now and for every earlier record, what was ended included."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thoughtbox
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.app import all_views
from thoughtbox.engine.postgres import PostgresEngine
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View

SHELF = """
CREATE TABLE shelf_books (
  workspace TEXT    NOT NULL,
  room      TEXT    NOT NULL,
  book      INTEGER NOT NULL,
  title     TEXT    NOT NULL,
  pages     INTEGER,
  from_seq  INTEGER NOT NULL,
  until_seq INTEGER NOT NULL,
  PRIMARY KEY (workspace, room, book, until_seq)
) STRICT, WITHOUT ROWID
"""
BOOKS = Versions("shelf_books", key=["room", "book"], values=["title", "pages"])

Book = tuple[str, int]
Shelf = dict[Book, tuple[str, int | None]]


class Books(View):
    """Books by room and number."""

    name: ClassVar[str] = "books"

    def all(self) -> Shelf:
        rows = self.sql.rows(
            f"SELECT room, book, title, pages FROM {BOOKS.standing} AS b ORDER BY room, book", standing_at(self)
        )
        return {(room, book): (title, pages) for room, book, title, pages in rows}

    def one(self, book: Book) -> tuple[str, int | None] | None:
        row = self.sql.row(
            f"SELECT title, pages FROM {BOOKS.standing} AS b WHERE room = ? AND book = ?", (*standing_at(self), *book)
        )
        return (row[0], row[1]) if row else None

    def pairs(self) -> set[tuple[int, int]]:
        """Books of the same title in two rooms: the table joined with itself, both as of the same record."""
        rows = self.sql.rows(
            f"SELECT one.book, other.book FROM {BOOKS.standing} AS one JOIN {BOOKS.standing} AS other"
            " ON other.title = one.title AND other.room > one.room",
            (*standing_at(self), *standing_at(self)),
        )
        return {(one, other) for one, other in rows}


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "sqlite":
        engine: Engine = SqliteEngine(None)
        yield engine
        engine.close()
        return
    with fresh_schema(server_url(request.config)) as url:
        engine = PostgresEngine(url)
        yield engine
        engine.close()


class Undone(Exception):
    """Ends a transaction without a trace."""


def in_a_transaction(engine: Engine, work) -> None:
    def run(sql: Sql) -> None:
        sql.run(SHELF)
        work(sql)
        raise Undone

    with pytest.raises(Undone):
        engine.write("w", run).result()


BOOK = st.tuples(st.sampled_from(["hall", "attic"]), st.integers(1, 3))
CHANGE = st.tuples(BOOK, st.one_of(st.none(), st.tuples(st.sampled_from("abc"), st.none() | st.integers(1, 9))))
RECORDS = st.lists(st.lists(CHANGE, max_size=4), max_size=12)
"""What each record does: it puts books in their place, or (None) takes them away; several times, perhaps."""


@settings(deadline=None, max_examples=30)
@given(records=RECORDS)
def test_every_earlier_state_is_what_it_was_when_it_was_the_newest(engine: Engine, records):
    def work(sql: Sql) -> None:
        shelf: Shelf = {}
        shelves = [dict(shelf)]
        for seq, changes in enumerate(records, 1):
            for (room, book), what in changes:
                if what is None:
                    BOOKS.end(Books(sql, "w"), seq, room=room, book=book)
                    shelf.pop((room, book), None)
                else:
                    BOOKS.put(Books(sql, "w"), seq, room=room, book=book, title=what[0], pages=what[1])
                    shelf[room, book] = what
            shelves.append(dict(sorted(shelf.items())))
            assert Books(sql, "w").all() == shelves[-1]
        for seq, then in enumerate(shelves):
            view = Books(sql, "w", seq)
            assert view.all() == then
            assert {book: view.one(book) for book in then} == then
            assert all(view.one(book) is None for book in shelf.keys() - then.keys())
            assert view.pairs() == {
                (one, other)
                for (here, one), (title, _) in then.items()
                for (there, other), (same, _) in then.items()
                if title == same and there > here
            }
        assert Books(sql, "w", NOW).all() == Books(sql, "w", 10**30).all() == shelves[-1]
        assert Books(sql, "other").all() == {}

    in_a_transaction(engine, work)


def test_several_changes_by_one_record_leave_one_row(engine: Engine):
    def work(sql: Sql) -> None:
        view = Books(sql, "w")
        for title in ("a", "b"):
            BOOKS.put(view, 3, room="hall", book=1, title=title, pages=None)
        BOOKS.put(view, 7, room="hall", book=1, title="c", pages=None)
        BOOKS.end(view, 7, room="hall", book=1)
        BOOKS.put(view, 7, room="hall", book=1, title="d", pages=None)
        rows = sql.rows("SELECT title, from_seq, until_seq FROM shelf_books ORDER BY from_seq")

        assert rows == [("b", 3, 7), ("d", 7, FOREVER)]

    in_a_transaction(engine, work)


def test_what_a_record_puts_and_ends_has_never_been(engine: Engine):
    def work(sql: Sql) -> None:
        view = Books(sql, "w")
        BOOKS.put(view, 3, room="hall", book=1, title="a", pages=None)
        BOOKS.end(view, 3, room="hall", book=1)
        BOOKS.end(view, 4, room="hall", book=1)

        assert sql.rows("SELECT title FROM shelf_books") == []

    in_a_transaction(engine, work)


def test_a_column_that_the_table_has_not_is_refused(engine: Engine):
    def work(sql: Sql) -> None:
        with pytest.raises(TypeError, match="shelf_books has no color"):
            BOOKS.put(Books(sql, "w"), 1, room="hall", book=1, title="a", pages=None, color="red")

    in_a_transaction(engine, work)


def declared() -> list[Versions]:
    """The tables of the product; those of this file are not among them."""
    all_views()
    return [versions for versions in Versions.declared if versions is not BOOKS]


def test_no_question_names_a_table_of_version_rows():
    """It would answer for all times at once: `standing` is the only way to the rows."""
    tables = "|".join(versions.table for versions in declared())
    read = re.compile(rf"\b(?:FROM|JOIN)\s+(?:{tables})\b", re.IGNORECASE)
    sources = [path for path in Path(thoughtbox.__file__).parent.rglob("*.py") if path.name != "versions.py"]
    found = [f"{path.name}: {match}" for path in sources for match in read.findall(path.read_text(encoding="utf-8"))]

    assert tables
    assert not found


def test_every_table_of_version_rows_finds_what_stands_by_its_key():
    scripts = "\n".join(view.script("sqlite") for view in all_views().kinds)
    for versions in declared():
        key = ", ".join(("workspace", *versions.key, "until_seq"))
        table = re.search(rf"CREATE TABLE {versions.table} \((.+?)\n\) STRICT", scripts, re.DOTALL)
        assert table is not None
        assert f"PRIMARY KEY ({key})" in table[1]
        columns = set(re.findall(r"^  ([a-z_]+) ", table[1], re.MULTILINE))
        assert columns == {"workspace", "from_seq", "until_seq", *versions.key, *versions.values}
