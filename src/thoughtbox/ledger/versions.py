"""Version rows: the way a view keeps things that change.

The newest state of each thing and all its earlier ones stand in one table. A row holds from the record that made
it until the record that replaced it, and until `FOREVER` if none has:

    CREATE TABLE shelf_books (
      workspace TEXT    NOT NULL,
      book_id   TEXT    NOT NULL,
      title     TEXT    NOT NULL,
      from_seq  INTEGER NOT NULL,
      until_seq INTEGER NOT NULL,
      PRIMARY KEY (workspace, book_id, until_seq)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX shelf_books_standing ON shelf_books (workspace, until_seq);

The key goes before `until_seq` in the primary key: what stands now is found by one seek, what stood earlier by the
same one, and there is never more than one of it. The index is for questions about all things at once.

    BOOKS = Versions("shelf_books", key=("book_id",), values=("title",))


    class Shelf(View):
        def apply(self, record: Record) -> None:
            if record.data.get("sold"):
                BOOKS.end(self, record.seq, book_id=record.data["id"])
            else:
                BOOKS.put(self, record.seq, book_id=record.data["id"], title=record.data["title"])

        def title(self, book_id: str) -> str | None:
            row = self.sql.row(
                f"SELECT title FROM {BOOKS.standing} AS b WHERE book_id = ?", (*standing_at(self), book_id)
            )
            return row[0] if row else None

A question never names the table. It names `BOOKS.standing`, the rows that stood at `self.as_of`, in a join or a
subquery as well, with the parameters of `standing_at(self)` in its place: so one statement answers for now and for
every earlier time, what was ended included, and it cannot be left out which of the two is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from thoughtbox.ledger.view import FOREVER, View

STANDING = "workspace = ? AND from_seq <= ? AND until_seq > ?"


class Versions:
    """A table of version rows. `key` names what a thing is known by within its workspace, `values` what may change."""

    declared: ClassVar[list[Versions]] = []
    """All there are, for tests that look at each."""

    def __init__(self, table: str, *, key: Sequence[str], values: Sequence[str] = ()) -> None:
        self.declared.append(self)
        self.table = table
        self.key = tuple(key)
        self.values = tuple(values)
        self.standing = f"(SELECT * FROM {table} WHERE {STANDING})"
        """The rows that stood then, as a table; its parameters are those of `standing_at`."""
        self.ever = f"(SELECT * FROM {table} WHERE workspace = ? AND from_seq <= ?)"
        """The rows that stood then or before, as a table; its parameters are those of `until`."""
        current = " AND ".join(f"{column} = ?" for column in ("workspace", *key, "until_seq"))
        columns = ("workspace", *key, "until_seq", "from_seq", *values)
        replaced = ", ".join(f"{column} = excluded.{column}" for column in values)
        self._close = f"UPDATE {table} SET until_seq = ? WHERE {current} AND from_seq < ?"
        self._insert = (
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
            f" ON CONFLICT (workspace, {', '.join(key)}, until_seq) DO"
            f" {f'UPDATE SET {replaced}' if replaced else 'NOTHING'}"
        )
        self._remove = f"DELETE FROM {table} WHERE {current}"

    def put(self, view: View, seq: int, /, **columns: Any) -> None:
        """What a thing is from this record on. Of several changes by one record the last counts."""
        key = tuple(columns.pop(name) for name in self.key)
        values = tuple(columns.pop(name) for name in self.values)
        if columns:
            raise TypeError(f"{self.table} has no {', '.join(columns)}")
        view.sql.run(self._close, (seq, view.workspace, *key, FOREVER, seq))
        view.sql.run(self._insert, (view.workspace, *key, FOREVER, seq, *values))

    def end(self, view: View, seq: int, /, **key: Any) -> None:
        """A thing is no more from this record on; nothing happens if it was not there."""
        named = tuple(key[name] for name in self.key)
        view.sql.run(self._close, (seq, view.workspace, *named, FOREVER, seq))
        view.sql.run(self._remove, (view.workspace, *named, FOREVER))  # if this very record had put it


def standing_at(view: View) -> tuple[str, int, int]:
    """The parameters of `standing`: of which workspace, as of which record."""
    return view.workspace, view.as_of, view.as_of


def until(view: View) -> tuple[str, int]:
    """The parameters of `Versions.ever`."""
    return view.workspace, view.as_of
