"""Views: tables derived from records, to answer questions.

A view says which topics it follows and what it does with each record. It holds
nothing that the ledger does not: dropped and replayed, it equals what it was. It is
applied in the transaction that appends (`pace = "now"`), or follows the ledger's
tail (`pace = "tail"`) and keeps a cursor.

A question is answered as of `self.as_of`, which is usually now, by one statement for now and
for then. What never changes is a row that carries the `seq` that made it, and is asked for with
`seq <= self.as_of`. What changes is kept as version rows, which `versions.py` writes and reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import ClassVar, Literal

from thoughtbox.engine.migrations import statements
from thoughtbox.engine.protocol import Dialect, Row, Sql
from thoughtbox.errors import LedgerBroken
from thoughtbox.ledger.record import Record, record_id

NOW = 2**62 - 1
"""Later than any sequence number."""

FOREVER = 2**62
"""Later than now: until then holds what nothing has replaced yet."""


_CREATE = re.compile(r"^CREATE (?:(VIRTUAL) )?TABLE (\w+)")


class View:
    """A view of one workspace, within one transaction."""

    name: ClassVar[str]
    follows: ClassVar[frozenset[str]]
    schema: ClassVar[str]
    """The SQL file beside the view's module that creates its tables. Where engines must differ, `name.sqlite.sql`
    and `name.postgres.sql` stand in the place of `name.sql`."""
    pace: ClassVar[Literal["now", "tail"]] = "now"
    stride: ClassVar[int] = 1
    """Fewest records that a view which follows the tail takes in at once."""
    version: ClassVar[int] = 1
    """Raise it when `apply` changes its mind: the stored view is then replayed."""

    def __init__(self, sql: Sql, workspace: str, as_of: int = NOW) -> None:
        self.sql = sql
        self.workspace = workspace
        self.as_of = min(as_of, NOW)

    def apply(self, record: Record) -> None:
        """Take one record in."""
        raise NotImplementedError

    def advance(self, after: int, limit: int) -> int:
        """Take in up to about `limit` records behind number `after`; how far that went.

        Only for views that follow the tail. Going nowhere means that there is nothing to do yet.
        """
        raise NotImplementedError

    @classmethod
    def contents(cls, sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        """All that the view holds, in any order, to be compared with another time; a row begins with its workspace.

        Of a view that follows the tail: what it has made of each workspace up to its cursor.
        """
        for table in cls.tables(sql.dialect):
            for row in sql.scan(f"SELECT * FROM {table}"):
                yield row[0], table, *row[1:]

    @classmethod
    def script(cls, dialect: Dialect) -> str:
        folder = files(cls.__module__.rpartition(".")[0])
        own = folder.joinpath(f"{cls.schema.removesuffix('.sql')}.{dialect}.sql")
        return (own if own.is_file() else folder.joinpath(cls.schema)).read_text(encoding="utf-8")

    @classmethod
    def tables(cls, dialect: Dialect) -> list[str]:
        return re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", cls.script(dialect), re.MULTILINE)

    @classmethod
    def shape(cls, dialect: Dialect) -> str:
        """Changes whenever the stored tables would no longer be what the code makes of the ledger."""
        return sha256(f"{cls.version}\n{cls.script(dialect)}".encode()).hexdigest()[:16]


class Views:
    """All views there are: which of them a record concerns, and how to make them anew."""

    def __init__(self, kinds: Iterable[type[View]]) -> None:
        self.kinds = tuple(kinds)
        self._by_topic: dict[str, tuple[type[View], ...]] = {}
        for kind in self.kinds:
            if kind.pace == "now":
                for topic in kind.follows:
                    self._by_topic[topic] = (*self._by_topic.get(topic, ()), kind)

    def following(self, topic: str) -> tuple[type[View], ...]:
        """The views that take in such records at once."""
        return self._by_topic.get(topic, ())

    def apply(self, sql: Sql, record: Record) -> None:
        for kind in self._by_topic.get(record.topic, ()):
            kind(sql, record.workspace).apply(record)

    def outdated(self, sql: Sql) -> list[type[View]]:
        """Views that the store does not have, or has in another shape."""
        stored = dict(sql.rows("SELECT view, version FROM views"))
        return [kind for kind in self.kinds if stored.get(kind.name) != kind.shape(sql.dialect)]


def astray(kind: type[View], seq: int, asked: str) -> LedgerBroken:
    """A row of a view has led to a record that is not what was asked for: it is not shown as if it were."""
    return LedgerBroken(
        f"the view `{kind.name}` names {record_id(seq)} for {asked}, and the record says otherwise",
        recovery=f"Run `thoughtbox rebuild {kind.name}`, which makes the view anew from the ledger.",
        details={"view": kind.name, "record": record_id(seq)},
    )


def create(sql: Sql, kind: type[View]) -> None:
    """Put empty tables in the place of the view's, whatever shape they had."""
    # The last one first: a table may look into those before it.
    for table in reversed(kind.tables(sql.dialect)):
        sql.run(f"DROP TABLE IF EXISTS {table}")
    for statement in statements(kind.script(sql.dialect)):
        sql.run(statement)
    sql.run(
        "INSERT INTO views (view, version) VALUES (?, ?) ON CONFLICT (view) DO UPDATE SET version = excluded.version",
        (kind.name, kind.shape(sql.dialect)),
    )


def create_temporary(sql: Sql, kind: type[View]) -> None:
    """Put empty tables in front of the view's own, for as long as the transaction lasts: they are found first."""
    for statement in statements(kind.script(sql.dialect)):
        sql.run(_CREATE.sub(_create_temporary, statement))


def _create_temporary(found: re.Match[str]) -> str:
    virtual, table = found.groups()
    return f"CREATE VIRTUAL TABLE temp.{table}" if virtual else f"CREATE TEMP TABLE {table}"


def cursors(sql: Sql, kind: type[View]) -> dict[str, int]:
    """By workspace: the number of the last record that a view which follows the tail has taken in."""
    return dict(sql.rows("SELECT workspace, seq FROM view_cursors WHERE view = ?", (kind.name,)))


def fingerprint(sql: Sql, kind: type[View], until: Mapping[str, int] | None = None) -> str:
    """What the view holds, as one value that does not depend on the order of its rows.

    `until` are the cursors up to which a view that follows the tail is looked at: its own, if not given.
    """
    return f"{sum(fingerprints(sql, kind, cursors(sql, kind) if until is None else until).values()):x}"


def fingerprints(sql: Sql, kind: type[View], until: Mapping[str, int]) -> dict[str, int]:
    """The same, for each workspace that the view has rows of."""
    totals: dict[str, int] = {}
    for row in kind.contents(sql, until):
        totals[row[0]] = totals.get(row[0], 0) + int.from_bytes(sha256(repr(row).encode()).digest())
    return totals
