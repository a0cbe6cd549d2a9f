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

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from thoughtbox.engine.migrations import must_be_known, statements
from thoughtbox.engine.protocol import DIALECTS, Dialect, Row, Sql
from thoughtbox.errors import RESTORE, LedgerBroken, SchemaTooNew, StorageDamaged
from thoughtbox.loading import Reference, loaded

if TYPE_CHECKING:
    from thoughtbox.ledger.record import Record

logger = logging.getLogger(__name__)

NOW = 2**62 - 1
"""Later than any sequence number."""

FOREVER = 2**62
"""Later than now: until then holds what nothing has replaced yet."""


_CREATE = re.compile(r"^CREATE (?:(VIRTUAL) )?TABLE (\w+)")


class Made(NamedTuple):
    """A view as the store has it."""

    generation: int
    shape: str


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
    generation: ClassVar[int] = 1
    """Raised with every change of the schema or of what `apply` makes of a record, and never lowered. A store with an
    earlier one has the view replayed; a process that meets a later one is itself the older, and stops."""

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
        return _script(cls.__module__.rpartition(".")[0], cls.schema, dialect)

    @classmethod
    def tables(cls, dialect: Dialect) -> list[str]:
        return _tables(cls.script(dialect))

    @classmethod
    def shape(cls, dialect: Dialect) -> str:
        """Changes whenever the stored tables would no longer be what the code makes of the ledger.

        A generation has one shape; only in the making it may have had others.
        """
        from hashlib import sha256  # OpenSSL takes longer to load than a start has

        return sha256(f"{cls.generation}\n{cls.script(dialect)}".encode()).hexdigest()[:16]

    @classmethod
    def made_in(cls, dialect: Dialect) -> Made:
        """As the store is to have it."""
        return Made(cls.generation, cls.shape(dialect))


@cache
def _script(package: str, schema: str, dialect: Dialect) -> str:
    folder = Path(loaded(package).__path__[0])
    own = folder / f"{schema.removesuffix('.sql')}.{dialect}.sql"
    return (own if own.is_file() else folder / schema).read_text(encoding="utf-8")


def _tables(script: str) -> list[str]:
    return re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", script, re.MULTILINE)


class KnownView(NamedTuple):
    """What is known of a view without its code."""

    name: str
    generation: int
    pace: Literal["now", "tail"]
    stride: int
    follows: frozenset[str]
    schema: str
    shapes: tuple[str, ...]
    """Those of `DIALECTS`, in their order."""
    declared: str
    """The module that completes its class: that of its room, or its own."""
    place: Reference
    """Where its class is."""

    @property
    def kind(self) -> type[View]:
        """Its class, imported when it is first asked for."""
        loaded(self.declared)
        return self.place.target

    def script(self, dialect: Dialect) -> str:
        return _script(self.place.module.rpartition(".")[0], self.schema, dialect)

    def tables(self, dialect: Dialect) -> list[str]:
        return _tables(self.script(dialect))

    def made_in(self, dialect: Dialect) -> Made:
        """As the store is to have it."""
        return Made(self.generation, self.shapes[DIALECTS.index(dialect)])


AnyView = type[View] | KnownView
"""A view by its class, or by what is known of it until its class is needed."""


def known(kind: type[View], declared: str) -> KnownView:
    """What there is to know of a view whose code is here."""
    return KnownView(
        name=kind.name,
        generation=kind.generation,
        pace=kind.pace,
        stride=kind.stride,
        follows=kind.follows,
        schema=kind.schema,
        shapes=tuple(map(kind.shape, DIALECTS)),
        declared=declared,
        place=Reference(kind.__module__, kind.__qualname__),
    )


class Views:
    """All views there are: which of them a record concerns, and whether they are those that the store has."""

    def __init__(self, kinds: Iterable[AnyView]) -> None:
        """Views by their classes, or by what is known of them: the class is then imported when it is first needed."""
        self._all = tuple(kinds)
        self.epoch = 0
        """The store's epoch in which its views were last found to be these; 0 before the first look."""
        self._was_told = False
        self._following: dict[str, tuple[type[View], ...]] = {}
        self._by_topic: dict[str, tuple[AnyView, ...]] = {}
        for each in self._all:
            if each.pace == "now":
                for topic in each.follows:
                    self._by_topic[topic] = (*self._by_topic.get(topic, ()), each)

    @property
    def kinds(self) -> tuple[type[View], ...]:
        """Their classes, all of them."""
        return tuple(map(kind_of, self._all))

    @property
    def tails(self) -> tuple[AnyView, ...]:
        """Those that follow the tail."""
        return tuple(each for each in self._all if each.pace == "tail")

    def following(self, topic: str) -> tuple[type[View], ...]:
        """The views that take in such records at once."""
        found = self._following.get(topic)
        if found is None:
            found = self._following[topic] = tuple(map(kind_of, self._by_topic.get(topic, ())))
        return found

    def apply(self, sql: Sql, record: Record) -> None:
        for kind in self.following(record.topic):
            kind(sql, record.workspace).apply(record)

    def outdated(self, sql: Sql) -> list[AnyView]:
        """Views that the store does not have, or has in another shape."""
        stored = made(sql)
        return [each for each in self._all if stored.get(each.name) != each.made_in(sql.dialect)]

    def refuse_newer(self, sql: Sql) -> None:
        """Raise when the store has a view of a later generation, or one that this release has never heard of."""
        own = {each.name: each.generation for each in self._all}
        newer = [name for name, found in made(sql).items() if found.generation > own.get(name, 0)]
        if newer:
            raise self._told(_taken_over(sorted(newer)))

    def recognise(self, sql: Sql, epoch: int) -> None:
        """Look whether the store's views are still these, once in every epoch; raise when they are not."""
        if epoch == self.epoch:
            return
        must_be_known(sql)
        self.refuse_newer(sql)
        if replaced := self.outdated(sql):
            raise self._told(_taken_over([kind.name for kind in replaced], by="another"))
        # Whoever reads an older snapshot beside this looks again; what holds now is what to remember.
        self.epoch = max(self.epoch, epoch)

    def _told(self, error: SchemaTooNew) -> SchemaTooNew:
        """The error, said in the log once: every call from now on meets it."""
        if not self._was_told:
            self._was_told = True
            logger.error("%s", error)
        return error


def made(sql: Sql) -> dict[str, Made]:
    """By name: the views that the store has."""
    rows = sql.rows("SELECT view, generation, version FROM views")
    if not all(isinstance(name, str) and isinstance(generation, int) for name, generation, _ in rows):
        raise StorageDamaged(
            "the database file is damaged: its list of views cannot be read",
            recovery=RESTORE,
        )
    return {row[0]: Made(*row[1:]) for row in rows}


def must_be_made(sql: Sql, kind: type[View]) -> None:
    """Raise when the store does not have the view as this code would make it: adding to it would spoil it."""
    row = sql.row("SELECT generation, version FROM views WHERE view = ?", (kind.name,))
    if row is None or Made(*row) != kind.made_in(sql.dialect):
        raise _taken_over([kind.name], by="a newer" if row and row[0] > kind.generation else "another")


def _taken_over(views: list[str], *, by: str = "a newer") -> SchemaTooNew:
    return SchemaTooNew(
        f"{by} Thoughtbox has taken over this store, and given it other views ({', '.join(views)})",
        recovery=f"Restart this server{' with the newer Thoughtbox' if by == 'a newer' else ''}: it can neither read"
        " nor write here any more.",
        details={"views": views},
    )


def kind_of(view: AnyView) -> type[View]:
    """A view's class."""
    return view.kind if isinstance(view, KnownView) else view


def astray(kind: type[View], seq: int, asked: str) -> LedgerBroken:
    """A row of a view has led to a record that is not what was asked for: it is not shown as if it were."""
    from thoughtbox.ledger.record import record_id

    return LedgerBroken(
        f"the view `{kind.name}` names {record_id(seq)} for {asked}, and the record says otherwise",
        recovery=f"Run `thoughtbox rebuild {kind.name}`, which makes the view anew from the ledger.",
        details={"view": kind.name, "record": record_id(seq)},
    )


def create(sql: Sql, kind: AnyView) -> None:
    """Put empty tables in the place of the view's, whatever shape they had."""
    drop(sql, kind)
    for statement in statements(kind.script(sql.dialect)):
        sql.run(statement)
    enter(sql, kind)


def drop(sql: Sql, kind: AnyView) -> None:
    """Take away the tables that the view has now, and those that it had in the release that made them."""
    own = kind.tables(sql.dialect)
    row = sql.row("SELECT tables FROM views WHERE view = ?", (kind.name,))
    had = row[0].split() if row else []
    # The last one first: a table may look into those before it.
    for table in reversed([*(name for name in had if name not in own), *own]):
        sql.run(f"DROP TABLE IF EXISTS {table}")


def enter(sql: Sql, kind: AnyView) -> None:
    """Write down that the store has the view in its present shape."""
    sql.run(
        "INSERT INTO views (view, version, generation, tables) VALUES (?, ?, ?, ?) ON CONFLICT (view) DO UPDATE SET"
        " version = excluded.version, generation = excluded.generation, tables = excluded.tables",
        (kind.name, kind.made_in(sql.dialect).shape, kind.generation, " ".join(kind.tables(sql.dialect))),
    )


def create_temporary(sql: Sql, kind: type[View]) -> None:
    """Put empty tables in front of the view's own, for as long as the transaction lasts: they are found first."""
    for statement in statements(kind.script(sql.dialect)):
        sql.run(_CREATE.sub(_create_temporary, statement))


def _create_temporary(found: re.Match[str]) -> str:
    virtual, table = found.groups()
    return f"CREATE VIRTUAL TABLE temp.{table}" if virtual else f"CREATE TEMP TABLE {table}"


def cursors(sql: Sql, kind: AnyView) -> dict[str, int]:
    """By workspace: the number of the last record that a view which follows the tail has taken in."""
    return dict(sql.rows("SELECT workspace, seq FROM view_cursors WHERE view = ?", (kind.name,)))


def fingerprint(sql: Sql, kind: type[View], until: Mapping[str, int] | None = None) -> str:
    """What the view holds, as one value that does not depend on the order of its rows.

    `until` are the cursors up to which a view that follows the tail is looked at: its own, if not given.
    """
    return f"{sum(fingerprints(sql, kind, cursors(sql, kind) if until is None else until).values()):x}"


def fingerprints(sql: Sql, kind: type[View], until: Mapping[str, int]) -> dict[str, int]:
    """The same, for each workspace that the view has rows of."""
    from hashlib import sha256

    totals: dict[str, int] = {}
    for row in kind.contents(sql, until):
        totals[row[0]] = totals.get(row[0], 0) + int.from_bytes(sha256(repr(row).encode()).digest())
    return totals
