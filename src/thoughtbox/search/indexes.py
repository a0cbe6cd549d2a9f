"""The one real difference between the engines: how words are kept, and how records are found by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from thoughtbox.engine.protocol import Dialect, Row, Sql
from thoughtbox.search.match import for_postgres, for_sqlite, tsvector, wanted_in_postgres
from thoughtbox.search.query import Query
from thoughtbox.search.words import Indexed

MOST_MATCHES = 10_000
"""Records that are ranked: if more match, the newest of them."""

STRETCH = 1 << 40
"""How many records of one workspace SQLite's index has numbers for."""


class Entry(NamedTuple):
    """A record as it goes into the index."""

    seq: int
    topic: str
    session: str
    words: Indexed


class Scope(NamedTuple):
    """Where to look."""

    as_of: int
    topics: Sequence[str] | None
    session: str | None

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


class Question(NamedTuple):
    """SQL that answers with `seq, topic, session, rank` of the newest records that match."""

    text: str
    values: list[Any]


class Index(Protocol):
    """The words of one workspace's records."""

    def __init__(self, sql: Sql, workspace: str) -> None: ...

    def add(self, entries: Sequence[Entry]) -> None: ...

    def question(self, query: Query, scope: Scope) -> Question: ...

    @staticmethod
    def contents(sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        """See `View.contents`."""
        ...


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
            "INSERT INTO texts (workspace, seq, topic, session) VALUES (?, ?, ?, ?)",
            [(self._workspace, entry.seq, entry.topic, entry.session) for entry in entries],
        )
        self._sql.many(
            "INSERT INTO texts_index (rowid, said, rest) VALUES (?, ?, ?)",
            [(start + entry.seq, " ".join(entry.words.said), " ".join(entry.words.rest)) for entry in entries],
        )

    def question(self, query: Query, scope: Scope) -> Question:
        start = self._start() or 0
        condition, values = scope.condition()
        return Question(
            # Crossed, so that the index leads: its numbers come in order, and the limit ends it early.
            "SELECT seq, topic, session, -bm25(texts_index) AS rank FROM texts_index CROSS JOIN texts"
            " WHERE texts_index MATCH ? AND texts_index.rowid > ? AND texts_index.rowid <= ?"
            f" AND workspace = ? AND seq = texts_index.rowid - ?{condition}"
            " ORDER BY texts_index.rowid DESC LIMIT ?",
            [
                for_sqlite(query),
                start,
                start + min(scope.as_of, STRETCH - 1),
                self._workspace,
                start,
                *values,
                MOST_MATCHES,
            ],
        )

    @staticmethod
    def contents(sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        # Where a workspace's numbers start is chance: it is not compared.
        workspaces = {
            start // STRETCH: workspace for workspace, start in sql.rows("SELECT workspace, start FROM text_starts")
        }
        for row in sql.scan("SELECT workspace, seq, topic, session FROM texts"):
            if row[1] <= cursors.get(row[0], 0):
                yield row
        found = sql.scan("SELECT term, doc, col, offset FROM texts_words")
        for (term, stretch), rows in groupby(found, key=lambda row: (row[0], row[1] // STRETCH)):
            workspace = workspaces.get(stretch)
            until = cursors.get(workspace, 0) if workspace is not None else STRETCH
            places = sha256()
            for _, number, column, offset in rows:
                if (seq := number % STRETCH) <= until:
                    places.update(f"{seq} {column} {offset}\n".encode())
            if places.digest() != _NOWHERE:
                yield workspace or "", term, places.digest()

    def _start(self) -> int | None:
        row = self._sql.row("SELECT start FROM text_starts WHERE workspace = ?", (self._workspace,))
        return row[0] if row else None


_NOWHERE = sha256().digest()


class PostgresIndex:
    """A tsvector with a GIN index over it."""

    def __init__(self, sql: Sql, workspace: str) -> None:
        self._sql = sql
        self._workspace = workspace

    def add(self, entries: Sequence[Entry]) -> None:
        self._sql.many(
            "INSERT INTO texts (workspace, seq, topic, session, words) VALUES (?, ?, ?, ?, CAST(? AS tsvector))",
            [(self._workspace, entry.seq, entry.topic, entry.session, tsvector(entry.words)) for entry in entries],
        )

    def question(self, query: Query, scope: Scope) -> Question:
        condition, values = scope.condition()
        return Question(
            # 1: long texts weigh less.
            "SELECT seq, topic, session, ts_rank(words, CAST(? AS tsquery), 1) AS rank FROM"
            " (SELECT seq, topic, session, words FROM texts"
            f" WHERE workspace = ? AND seq <= ? AND words @@ CAST(? AS tsquery){condition}"
            " ORDER BY seq DESC LIMIT ?) AS newest",
            [
                wanted_in_postgres(query),
                self._workspace,
                scope.as_of,
                for_postgres(query),
                *values,
                MOST_MATCHES,
            ],
        )

    @staticmethod
    def contents(sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        for row in sql.scan("SELECT workspace, seq, topic, session, CAST(words AS text) FROM texts"):
            if row[1] <= cursors.get(row[0], 0):
                yield row


INDEXES: Mapping[Dialect, type[Index]] = {"sqlite": SqliteIndex, "postgres": PostgresIndex}
