"""Views: tables derived from records, to answer questions.

A view says which topics it follows and what it does with each record. It holds
nothing that the ledger does not: dropped and replayed, it equals what it was. It is
applied in the transaction that appends (`pace = "now"`), or follows the ledger's
tail (`pace = "tail"`) and keeps a cursor.

Views keep history: every row carries the `seq` that made it, rows are never changed,
and a question is answered as of `self.as_of`, which is usually now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files
from typing import ClassVar, Literal

from thoughtbox.engine.migrations import statements
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.record import Record

NOW = 2**62
"""Later than any sequence number."""


class View:
    """A view of one workspace, within one transaction."""

    name: ClassVar[str]
    follows: ClassVar[frozenset[str]]
    schema: ClassVar[str]
    """The SQL file beside the view's module that creates its tables."""
    pace: ClassVar[Literal["now", "tail"]] = "now"
    version: ClassVar[int] = 1
    """Raise it when `apply` changes its mind: the stored view is then replayed."""

    def __init__(self, sql: Sql, workspace: str, as_of: int = NOW) -> None:
        self.sql = sql
        self.workspace = workspace
        self.as_of = as_of

    def apply(self, record: Record) -> None:
        """Take one record in."""
        raise NotImplementedError

    def advance(self, after: int, limit: int) -> int:
        """Take in up to about `limit` records behind number `after`; how far that went.

        Only for views that follow the tail. Going nowhere means that there is nothing to do yet.
        """
        raise NotImplementedError

    @classmethod
    def script(cls) -> str:
        package = cls.__module__.rpartition(".")[0]
        return files(package).joinpath(cls.schema).read_text(encoding="utf-8")

    @classmethod
    def tables(cls) -> list[str]:
        return re.findall(r"^CREATE TABLE (\w+)", cls.script(), re.MULTILINE)

    @classmethod
    def shape(cls) -> str:
        """Changes whenever the stored tables would no longer be what the code makes of the ledger."""
        return sha256(f"{cls.version}\n{cls.script()}".encode()).hexdigest()[:16]


class Views:
    """All views there are: which of them a record concerns, and how to make them anew."""

    def __init__(self, kinds: Iterable[type[View]]) -> None:
        self.kinds = tuple(kinds)
        self._by_topic: dict[str, tuple[type[View], ...]] = {}
        for kind in self.kinds:
            if kind.pace == "now":
                for topic in kind.follows:
                    self._by_topic[topic] = (*self._by_topic.get(topic, ()), kind)

    def apply(self, sql: Sql, record: Record) -> None:
        for kind in self._by_topic.get(record.topic, ()):
            kind(sql, record.workspace).apply(record)

    def outdated(self, sql: Sql) -> list[type[View]]:
        """Views that the store does not have, or has in another shape."""
        stored = dict(sql.rows("SELECT view, version FROM views"))
        return [kind for kind in self.kinds if stored.get(kind.name) != kind.shape()]


def create(sql: Sql, kind: type[View]) -> None:
    """Put empty tables in the place of the view's, whatever shape they had."""
    for table in kind.tables():
        sql.run(f"DROP TABLE IF EXISTS {table}")
    for statement in statements(kind.script()):
        sql.run(statement)
    sql.run(
        "INSERT INTO views (view, version) VALUES (?, ?) ON CONFLICT (view) DO UPDATE SET version = excluded.version",
        (kind.name, kind.shape()),
    )


def fingerprint(sql: Sql, kind: type[View]) -> str:
    """What the view holds, as one value that does not depend on the order of its rows."""
    total = 0
    for table in kind.tables():
        for row in sql.scan(f"SELECT * FROM {table}"):
            total += int.from_bytes(sha256(repr((table, *row)).encode()).digest())
    return f"{total:x}"
