"""An open SQLite transaction, and what its failures are called here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import apsw

from thoughtbox.engine.protocol import CONSTRAINT, Dialect, Head, Row, Sql, Standing
from thoughtbox.engine.savepoints import nested
from thoughtbox.engine.turnstile import PATIENCE_SECONDS
from thoughtbox.errors import RESTORE, StorageBusy, StorageDamaged, StorageError, StorageFull

_TROUBLE = (apsw.Error, UnicodeDecodeError)
"""What a statement can fail with; a text that is no UTF-8 was not written by us."""


class SqliteSql:
    """An open transaction on one connection.

    Rows that are put wait to be inserted together, and a call's savepoint waits for its first
    statement that may write: a call that only reads and puts rows costs no statement of its own.
    """

    dialect: Dialect = "sqlite"
    learnt_holds = True

    def __init__(self, connection: apsw.Connection, cursor: apsw.Cursor | None = None) -> None:
        """`cursor` is for statements that give no rows: to make one for each costs as much as what they do."""
        self._connection = connection
        self._query = connection.execute
        self._run = (cursor or connection).execute
        self._run_many = (cursor or connection).executemany
        self._scans: set[apsw.Cursor] = set()
        self._waiting: list[tuple[str, tuple[Any, ...]]] = []
        """Rows that are yet to be inserted, behind the statement that does it."""
        self._of_earlier_calls = 0
        self._owes_savepoint = False
        self.memo: dict[Any, Any] = {}
        self.learnt: dict[Any, Any] = {}
        self.before_commit: dict[str, Callable[[Sql], None]] = {}
        self.witness: dict[str, Head] = {}

    def _execute(self, statement: str, parameters: Sequence[Any]) -> apsw.Cursor:
        if self._waiting or self._owes_savepoint:
            if self._owes_savepoint and statement.startswith("SELECT"):
                self._settle_to_read()
            else:
                self.settle()
        return self._query(statement, parameters)

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        try:
            return self._execute(statement, parameters).fetchall()
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        try:
            cursor = self._execute(statement, parameters)
            row = cursor.fetchone()
            cursor.close(True)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error
        return row

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        try:
            if self._waiting or self._owes_savepoint:
                self.settle()
            self._run(statement, parameters)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            if self._waiting or self._owes_savepoint:
                self.settle()
            # Rows that are only made on the way may need the cursor themselves.
            run_many = self._run_many if type(rows) is list else self._connection.executemany
            run_many(statement, rows)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        self._waiting.append((statement, row))

    def scan(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        try:
            cursor = self._execute(statement, parameters)
            self._scans.add(cursor)
            try:
                yield from cursor
            finally:
                self._scans.discard(cursor)
                cursor.close(True)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def lock(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        # The writing transaction already holds the whole file.
        return self.row(statement, parameters)

    def hold(self, *, patient: bool = False) -> None:
        """Whoever writes already holds the whole file, and whoever reads has a snapshot, tables and all."""

    def standing(self) -> Standing:
        row = self.row("SELECT epoch, imports FROM store")
        assert row is not None
        return Standing(*row)

    def nested(self) -> AbstractContextManager[None]:
        return nested(self, begin=self._begin_part, end=self._end_part, undo=self._undo_part)

    def _begin_part(self) -> None:
        # What waits was put before the part: behind its savepoint it would be undone with it.
        self.settle()
        self._run("SAVEPOINT part")

    def _end_part(self) -> None:
        # What the part has put may wait on: it now belongs to what is around it.
        self._run("RELEASE part")

    def _undo_part(self) -> None:
        self._waiting.clear()
        if self._connection.in_transaction:  # otherwise all of it is undone already: a full or failing disk
            self._run("ROLLBACK TO part")
            self._run("RELEASE part")

    def begin_call(self) -> None:
        self._of_earlier_calls = len(self._waiting)
        self._owes_savepoint = True

    def end_call(self) -> None:
        if self._owes_savepoint:
            self._owes_savepoint = False
        else:
            self._run("RELEASE call")

    def undo_call(self) -> None:
        if self._owes_savepoint:
            self._owes_savepoint = False
            del self._waiting[self._of_earlier_calls :]
        else:
            self._waiting.clear()
            self._run("ROLLBACK TO call")
            self._run("RELEASE call")

    def settle(self) -> None:
        """Insert what waits: rows of earlier calls before this one's savepoint, its own behind it."""
        waiting, self._waiting = self._waiting, []
        if self._owes_savepoint:
            self._owes_savepoint = False
            self._insert(waiting[: self._of_earlier_calls])
            waiting = waiting[self._of_earlier_calls :]
            self._run("SAVEPOINT call")
        self._insert(waiting)

    def _insert(self, waiting: Iterable[tuple[str, tuple[Any, ...]]]) -> None:
        """Insert rows in the order in which they were put, but all of a statement at once."""
        together: dict[str, list[tuple[Any, ...]]] = {}
        for statement, row in waiting:
            together.setdefault(statement, []).append(row)
        for statement, rows in together.items():
            self._run_many(statement, rows)

    def _settle_to_read(self) -> None:
        """Insert what waits, if anything does: without rows of its own, a call that reads needs no savepoint yet."""
        if len(self._waiting) > self._of_earlier_calls:
            self.settle()
        elif self._waiting:
            self._insert(self._waiting)
            self._waiting = []
            self._of_earlier_calls = 0

    def forget(self) -> None:
        """The transaction is over, and what waited in it."""
        self._waiting.clear()
        self._owes_savepoint = False

    def close_scans(self) -> None:
        """End scans that somebody still holds: one left open would keep its snapshot beyond the transaction."""
        while self._scans:
            self._scans.pop().close(True)


def _found_in_rows(error: Exception) -> Exception:
    return _damaged(error) if isinstance(error, UnicodeDecodeError) else translate(error)


def translate(error: Exception) -> Exception:
    """An apsw or file error as one of ours; any other as it is."""
    say = partial(_with_cause, error)
    match error:
        case apsw.FullError():
            return say(StorageFull("the disk is full", recovery="Free some space, then send the call again."))
        case apsw.InterruptError():
            return say(StorageError("the store was closed while this was running"))
        case apsw.BusyError() | apsw.LockedError():
            return say(
                StorageBusy(
                    f"another process held the store for more than {PATIENCE_SECONDS:.0f} seconds",
                    recovery="Send the call again; `thoughtbox doctor` shows who holds the store.",
                )
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return _damaged(error)
        case apsw.ReadOnlyError() | apsw.CantOpenError() | PermissionError():
            return say(
                StorageError(
                    f"the store cannot be opened for writing ({error})",
                    recovery="Check that the data directory exists and is writable, or set THOUGHTBOX_DATA_DIR.",
                )
            )
        case apsw.ConstraintError() | apsw.MismatchError():
            return say(_failed(error, {"reason": CONSTRAINT}))
        case apsw.Error() | OSError():
            return say(_failed(error))
        case _:
            return error


def _failed(error: Exception, details: dict[str, Any] | None = None) -> StorageError:
    return StorageError(f"the store failed ({error})", recovery="Run `thoughtbox doctor`.", details=details)


def _damaged(error: Exception) -> StorageError:
    return _with_cause(
        error,
        StorageDamaged(f"the database file is damaged or not a Thoughtbox store ({error})", recovery=RESTORE),
    )


def _with_cause(cause: Exception, error: StorageError) -> StorageError:
    error.__cause__ = cause
    return error
