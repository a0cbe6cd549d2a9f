"""The one real difference between the engines: how words are kept, and how entries are found by them.

An entry has a number, by which the newer of two and the shorter of two are known without looking at them:
its record, which part of the record it is, and how long it is, more or less.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from thoughtbox.engine.protocol import Dialect, Row, Sql
from thoughtbox.ledger.view import FOREVER
from thoughtbox.search.match import Match, for_postgres, for_sqlite, tsvector
from thoughtbox.search.registry import MOST_PARTS
from thoughtbox.search.words import Indexed

MOST_MATCHES = 10_000
"""Entries that are compared with each other: see `ranking.py` for which, if more match."""

STRETCH = 1 << 40
"""How many numbers of entries one workspace has in SQLite's index."""

LENGTHS = (4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 1024)
"""Words of a text that is about that long; the last one stands for all that are longer."""

_PER_RECORD = MOST_PARTS * len(LENGTHS)
_COLUMNS = "workspace, number, seq, topic, session, name, until_seq, words"


class Entry(NamedTuple):
    """A part of a record as it goes into the index."""

    seq: int
    part: int
    topic: str
    session: str
    name: str
    words: Indexed
    marks: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        length = min(bisect_left(LENGTHS, len(self.words.said)), len(LENGTHS) - 1)
        return (self.seq * MOST_PARTS + self.part) * len(LENGTHS) + length

    def row(self, workspace: str) -> Row:
        said = " ".join(self.words.said)
        return workspace, self.number, self.seq, self.topic, self.session, self.name, FOREVER, said


def part_of(number: int) -> int:
    return number // len(LENGTHS) % MOST_PARTS


def length_of(number: int) -> int:
    """Which of `LENGTHS`."""
    return number % len(LENGTHS)


class Scope(NamedTuple):
    """Where to look."""

    as_of: int
    topics: Sequence[str] | None = None
    session: str | None = None
    marks: Sequence[str] = ()
    """Only entries that have all of these."""
    ended: bool = False
    """Also entries whose place others have taken."""

    @property
    def end(self) -> int:
        """The first number that is too new."""
        return (min(self.as_of, STRETCH // _PER_RECORD - 2) + 1) * _PER_RECORD

    def condition(self) -> tuple[str, list[Any]]:
        """As SQL, for what stands behind other conditions."""
        text, values = "", []
        if self.topics is not None:
            text += f" AND topic IN ({', '.join('?' * len(self.topics))})"
            values += self.topics
        if self.session is not None:
            text += " AND session = ?"
            values.append(self.session)
        return text, values


class Index(Protocol):
    """The words of one workspace's entries."""

    def __init__(self, sql: Sql, workspace: str) -> None: ...

    def add(self, entries: Sequence[Entry]) -> None: ...

    def grown(self) -> None:
        """The workspace has about twice as many entries as when this was last said."""
        ...

    def numbers(self, match: Match, scope: Scope) -> list[int]:
        """The entries that match, whether they still stand or not: if there are very many, the shortest of them."""
        ...

    def newest(self, match: Match, scope: Scope, most: int) -> list[int]:
        """The same, but if there are more than so many, the newest of them: no more are looked at."""
        ...

    @staticmethod
    def contents(sql: Sql) -> Iterator[Row]:
        """See `View.contents`."""
        ...


_MATCHING = "SELECT rowid - ? AS number FROM texts_index WHERE texts_index MATCH ? AND rowid >= ? AND rowid < ?"


class SqliteIndex:
    """FTS5, without a copy of the text."""

    def __init__(self, sql: Sql, workspace: str) -> None:
        self._sql = sql
        self._workspace = workspace

    def add(self, entries: Sequence[Entry]) -> None:
        start = self._start()
        if start is None:
            self._sql.run(
                "INSERT INTO text_starts (workspace, start) SELECT ?, COALESCE(MAX(start) + ?, 0) FROM text_starts",
                (self._workspace, STRETCH),
            )
            start = self._start() or 0
        self._sql.many(
            f"INSERT INTO texts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [entry.row(self._workspace) for entry in entries],
        )
        self._sql.many(
            "INSERT INTO texts_index (rowid, said, rest) VALUES (?, ?, ?)",
            [
                (
                    start + entry.number,
                    " ".join(entry.words.said),
                    " ".join(
                        [*entry.words.rest, _topic(entry.topic), _session(entry.session), *map(mark, entry.marks)]
                    ),
                )
                for entry in entries
            ],
        )

    def grown(self) -> None:
        """FTS5 needs no telling."""

    def numbers(self, match: Match, scope: Scope) -> list[int]:
        start = self._start()
        if start is None:
            return []
        return _shortest(self._sql, _MATCHING, (start, _within(for_sqlite(match), scope), start, start + scope.end))

    def newest(self, match: Match, scope: Scope, most: int) -> list[int]:
        start = self._start()
        if start is None:
            return []
        values = (start, _within(for_sqlite(match), scope), start, start + scope.end, most)
        return [row[0] for row in self._sql.rows(f"{_MATCHING} ORDER BY rowid DESC LIMIT ?", values)]

    @staticmethod
    def contents(sql: Sql) -> Iterator[Row]:
        # Where a workspace's numbers start is chance: it is not compared.
        workspaces = {
            start // STRETCH: workspace for workspace, start in sql.rows("SELECT workspace, start FROM text_starts")
        }
        yield from sql.scan(f"SELECT {_COLUMNS} FROM texts")
        found = sql.scan("SELECT term, doc, col, offset FROM texts_instances")
        for (term, stretch), rows in groupby(found, key=lambda row: (row[0], row[1] // STRETCH)):
            places = sha256()
            for _, number, column, offset in rows:
                places.update(f"{number % STRETCH} {column} {offset}\n".encode())
            yield workspaces.get(stretch, ""), term, places.digest()

    def _start(self) -> int | None:
        row = self._sql.row("SELECT start FROM text_starts WHERE workspace = ?", (self._workspace,))
        return row[0] if row else None


def _shortest(sql: Sql, question: str, values: Sequence[Any]) -> list[int]:
    """The numbers that a question asks for: if there are too many, the shortest entries, and of these the newest."""
    rows = sql.rows(f"{question} LIMIT ?", (*values, MOST_MATCHES + 1))
    if len(rows) > MOST_MATCHES:
        rows = sql.rows(
            f"SELECT number FROM ({question}) AS found ORDER BY number % {len(LENGTHS)}, number DESC LIMIT ?",
            (*values, MOST_MATCHES),
        )
    return [row[0] for row in rows]


_SPLITS = re.compile(r"[\x00-/:-@\[-`{-\x7f]")
"""What is neither a letter nor a digit, within ASCII."""


def _within(match: str, scope: Scope) -> str:
    """The match, where to look included: so what is elsewhere need not be looked at."""
    groups = [f"({match})"]
    if scope.topics is not None:
        groups.append(f"({' OR '.join(map(_topic, scope.topics))})")
    if scope.session is not None:
        groups.append(_session(scope.session))
    groups += map(mark, scope.marks)
    return " AND ".join(groups)


def _topic(topic: str) -> str:
    """As a word that no text has, since words are letters and digits."""
    return f"†{_SPLITS.sub('†', topic)}"


def _session(session: str) -> str:
    return f"‡{_SPLITS.sub('†', session)}"


def mark(text: str) -> str:
    return f"¶{_SPLITS.sub('†', text)}"


class PostgresIndex:
    """A tsvector with a GIN index over it."""

    def __init__(self, sql: Sql, workspace: str) -> None:
        self._sql = sql
        self._workspace = workspace

    def add(self, entries: Sequence[Entry]) -> None:
        self._sql.many(
            f"INSERT INTO texts ({_COLUMNS}, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS tsvector))",
            [(*entry.row(self._workspace), tsvector(entry.words, map(mark, entry.marks))) for entry in entries],
        )

    def grown(self) -> None:
        """Let the planner know: until it does, it walks through whole workspaces, which takes five times as long."""
        self._sql.run(f"ANALYZE texts ({_COLUMNS})")

    def numbers(self, match: Match, scope: Scope) -> list[int]:
        return _shortest(self._sql, *self._matching(match, scope))

    def newest(self, match: Match, scope: Scope, most: int) -> list[int]:
        question, values = self._matching(match, scope)
        return [row[0] for row in self._sql.rows(f"{question} ORDER BY number DESC LIMIT ?", (*values, most))]

    def _matching(self, match: Match, scope: Scope) -> tuple[str, list[Any]]:
        condition, values = scope.condition()
        sought = " & ".join([for_postgres(match), *(f"'{mark(each)}'" for each in scope.marks)])
        return (
            "SELECT number FROM texts WHERE workspace = ? AND number < ? AND vector @@ CAST(? AS tsquery)" + condition,
            [self._workspace, scope.end, sought, *values],
        )

    @staticmethod
    def contents(sql: Sql) -> Iterator[Row]:
        yield from sql.scan(f"SELECT {_COLUMNS}, CAST(vector AS text) FROM texts")


INDEXES: Mapping[Dialect, type[Index]] = {"sqlite": SqliteIndex, "postgres": PostgresIndex}
