"""A view's tables beside those in use, under names of their own, until they take their place.

The view's code runs unchanged: it is given a transaction that puts the other names into
its statements. Tables get their own names at the end. Indexes keep the others, since
nothing asks for an index by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from thoughtbox.engine.migrations import statements
from thoughtbox.engine.protocol import Dialect, Row, Sql, Standing
from thoughtbox.ledger.view import View, drop, enter

MARK_BYTES = 4
_MARKED = re.compile(r"__[0-9a-f]{8}$")
_INDEX = re.compile(r"^CREATE (?:UNIQUE )?INDEX (\w+)", re.MULTILINE)
_LENS = re.compile(r"CREATE VIRTUAL TABLE (\w+) USING fts5vocab.*", re.DOTALL)
"""A table that holds nothing and looks into another, by a name that does not change with it."""
_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_TABLES = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid DESC",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
}


class Shadow:
    """The other names of one view's tables and indexes."""

    def __init__(self, kind: type[View], dialect: Dialect, mark: str) -> None:
        """`mark` tells these tables from those that another process may have left behind."""
        self.kind = kind
        script = kind.script(dialect)
        self._tables = kind.tables(dialect)
        self._names = {name: f"{name}__{mark}" for name in [*self._tables, *_INDEX.findall(script)]}
        self._statements = statements(script)
        # Behind a dot stands a column, in quotes a text.
        self._pattern = re.compile(rf"{_QUOTED}|(?<![.\w])({'|'.join(map(re.escape, self._names))})(?!\w)")
        self._renamed: dict[str, str] = {}

    def sql(self, sql: Sql) -> Sql:
        """The transaction as the view's code is to see it."""
        return _ShadowSql(sql, self.in_its_words)

    def in_its_words(self, statement: str) -> str:
        known = self._renamed.get(statement)
        if known is None:
            known = self._renamed[statement] = self._pattern.sub(self._name, statement)
        return known

    def create(self, sql: Sql) -> None:
        """Make the tables, empty."""
        for statement in self._statements:
            sql.run(self.in_its_words(statement))

    def take_place(self, sql: Sql) -> None:
        """Put the tables in the place of those in use, which are gone then."""
        drop(sql, self.kind)
        lenses = {found[1]: found[0] for statement in self._statements if (found := _LENS.match(statement))}
        for table in lenses:
            sql.run(f"DROP TABLE {self._names[table]}")
        for table in self._tables:
            if table not in lenses:
                sql.run(f"ALTER TABLE {self._names[table]} RENAME TO {table}")
        for statement in lenses.values():
            sql.run(statement)
        enter(sql, self.kind)

    def _name(self, found: re.Match[str]) -> str:
        return self._names[found[1]] if found[1] else found[0]


class _ShadowSql:
    """A transaction in which a view's tables have other names."""

    learnt_holds = False

    def __init__(self, sql: Sql, in_its_words: Callable[[str], str]) -> None:
        self._sql = sql
        self._in_its_words = in_its_words
        self.dialect = sql.dialect
        self.memo: dict[Any, Any] = {}
        self.learnt: dict[Any, Any] = {}
        self.before_commit = sql.before_commit
        self.witness = sql.witness

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return self._sql.rows(self._in_its_words(statement), parameters)

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        return self._sql.row(self._in_its_words(statement), parameters)

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        self._sql.run(self._in_its_words(statement), parameters)

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._sql.many(self._in_its_words(statement), rows)

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        self._sql.put(self._in_its_words(statement), row)

    def scan(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        return self._sql.scan(self._in_its_words(statement), parameters)

    def lock(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        return self._sql.lock(self._in_its_words(statement), parameters)

    def nested(self) -> AbstractContextManager[None]:
        return self._sql.nested()

    def hold(self, *, patient: bool = False) -> None:
        self._sql.hold(patient=patient)

    def standing(self) -> Standing:
        return self._sql.standing()


def left_behind(sql: Sql) -> list[str]:
    """Tables of a shadow that never took its place; in an order in which they can be dropped."""
    return [row[0] for row in sql.rows(_TABLES[sql.dialect]) if _MARKED.search(row[0])]
