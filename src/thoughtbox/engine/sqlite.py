"""SQLite through apsw: the engine out of the box, nothing to install or start.

One writing thread, a few reading threads on snapshots of their own, and a watcher
that notices what other processes commit. Several processes on one file are the
normal case.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import apsw

from thoughtbox.engine.alone import Alone
from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.migrations import migrate
from thoughtbox.engine.protocol import Dialect, Row, Sql, Standing, Unwatch
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.turnstile import Turnstile
from thoughtbox.engine.watchers import Watchers
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageBusy, StorageDamaged, StorageError, StorageFull

logger = logging.getLogger(__name__)

T = TypeVar("T")
Durability = Literal["full", "normal"]

OLDEST_SQLITE = (3, 51, 3)
"""Older ones lack the WAL-reset fix of 2026, or contentless full-text deletes."""

READERS = 3
WATCH_SECONDS = 0.02
RETRY_SECONDS = 1.0
CLOSE_SECONDS = 5.0
BUSY_MS = 10_000
AUTOCHECKPOINT_PAGES = 16_384

ONE_LANE = ""
"""The file has one writer, so calls of all workspaces wait together and share commits."""


_TROUBLE = (apsw.Error, UnicodeDecodeError)
"""What a statement can fail with; a text that is no UTF-8 was not written by us."""


class SqliteSql:
    """An open transaction on one connection.

    Rows that are put wait to be inserted together, and a call's savepoint waits for its first
    statement: a call that only puts rows costs no statement of its own.
    """

    dialect: Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        self._scans: set[apsw.Cursor] = set()
        self._waiting: list[tuple[Any, ...]] = []
        self._insert = ""
        self._of_earlier_calls = 0
        self._owes_savepoint = False
        self.memo: dict[Any, Any] = {}
        self.learnt: dict[Any, Any] = {}
        self.before_commit: dict[str, Callable[[Sql], None]] = {}

    def _execute(self, statement: str, parameters: Sequence[Any]) -> apsw.Cursor:
        if self._waiting or self._owes_savepoint:
            self.settle()
        return self._run(statement, parameters)

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
            self._execute(statement, parameters)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            if self._waiting or self._owes_savepoint:
                self.settle()
            self._run_many(statement, rows)
        except _TROUBLE as error:
            raise _found_in_rows(error) from error

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        if statement != self._insert:
            if self._waiting:
                self.settle()
            self._insert = statement
        self._waiting.append(row)

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
            if earlier := waiting[: self._of_earlier_calls]:
                self._run_many(self._insert, earlier)
                waiting = waiting[self._of_earlier_calls :]
            self._run("SAVEPOINT call")
        if waiting:
            self._run_many(self._insert, waiting)

    def forget(self) -> None:
        """The transaction is over, and what waited in it."""
        self._waiting.clear()
        self._owes_savepoint = False

    def close_scans(self) -> None:
        """End scans that somebody still holds: one left open would keep its snapshot beyond the transaction."""
        while self._scans:
            self._scans.pop().close(True)


class _Session:
    """The writing connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._changes = 0
        self.sql = SqliteSql(connection)

    def begin(self) -> None:
        self._execute("BEGIN IMMEDIATE")
        self._changes = self._connection.total_changes()

    def commit(self) -> bool:
        self.sql.settle()
        self.sql.close_scans()
        self._execute("COMMIT")
        return self._connection.total_changes() != self._changes

    def rollback(self) -> None:
        self.sql.forget()
        self.sql.close_scans()
        if self._connection.in_transaction:
            self._execute("ROLLBACK")

    def savepoint(self) -> None:
        self.sql.begin_call()

    def release(self) -> None:
        self.sql.end_call()

    def rollback_to_savepoint(self) -> None:
        self.sql.undo_call()

    def is_usable(self) -> bool:
        # A full disk or a failing one makes SQLite roll back all by itself.
        return self._connection.in_transaction

    def close(self) -> None:
        self._connection.close()


class _Snapshots:
    """A reading connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        connection.pragma("query_only", True)
        self._connection = connection

    def read(self, work: Callable[[Sql], T]) -> T:
        self._connection.execute("BEGIN")
        sql = SqliteSql(self._connection)
        try:
            return work(sql)
        finally:
            sql.close_scans()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        # An interrupt that found nothing to break off would break off the tidying up of the last to close.
        self._connection.execute("SELECT 1")
        self._connection.close()


class SqliteEngine:
    """One database file, or one database in memory, for all workspaces."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path | None, *, durability: Durability = "full", vfs: str | None = None) -> None:
        """Open (and create, and migrate) the file; without one, a database in memory.

        `vfs` names a registered apsw VFS, for tests that make the disk fail.
        """
        self._path = path
        self._durability = durability
        self._vfs = vfs
        self._watchers = Watchers(self._watch_other_processes)
        self._turnstile = Turnstile(path) if path else None
        self._alone = Alone(path)
        turn = self._turnstile or nullcontext()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with turn:
                if path:
                    _check_log(path)
                first = _Session(self._open())
                _migrate(first)
        except Exception as error:
            if self._turnstile is not None:
                self._turnstile.close()
            translated = translate(error)
            if translated is error:
                raise
            raise translated from error
        self._lanes = Lanes()
        # The connection that migrated goes on as the writer's: opening costs time.
        self._writer = Writer(
            "thoughtbox-writer",
            self._lanes,
            lambda: _Session(self._open()),
            first=first,
            translate=translate,
            turn=turn,
            committed=self._watchers.tell,
        )
        # A database in memory has one connection only: reads queue with the writes.
        self._readers = Readers(READERS, lambda: _Snapshots(self._open()), translate=translate) if path else None

    def write(self, lane: str, work: Callable[[Sql], T]) -> Future[T]:
        return self._lanes.put(ONE_LANE, work)

    def read(self, work: Callable[[Sql], T]) -> Future[T]:
        if self._readers is None:
            return self._lanes.put(ONE_LANE, partial(_without_writing, work))
        return self._readers.submit(work)

    def alone(self, *, patient: bool = True) -> AbstractContextManager[bool]:
        return self._alone.entered(patient=patient)

    def watch(self, notice: Callable[[], object]) -> Unwatch:
        return self._watchers.add(notice)

    def close(self) -> None:
        self._watchers.close()
        self._lanes.close()
        self._writer.join(CLOSE_SECONDS)
        if self._readers is not None:
            self._readers.close()
        if self._turnstile is not None:
            self._turnstile.close()

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path) if self._path else ":memory:", vfs=self._vfs)
        try:
            connection.set_busy_timeout(BUSY_MS)
            connection.pragma("wal_autocheckpoint", AUTOCHECKPOINT_PAGES)
            if self._path:
                connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", self._durability)
        except BaseException:
            connection.close(True)
            raise
        return connection

    def _watch_other_processes(self, stop: threading.Event) -> None:
        """Tell the watchers when another process has committed: the file's data version moves."""
        while self._path is not None and not stop.is_set():
            try:
                self._watch_data_version(stop)
            except apsw.Error as error:
                logger.warning("not hearing of other processes' commits for now: %s", error)
                stop.wait(RETRY_SECONDS)

    def _watch_data_version(self, stop: threading.Event) -> None:
        connection = self._open()
        try:
            version: Any = None
            while not stop.wait(WATCH_SECONDS):
                now = connection.pragma("data_version")
                if now != version:
                    version = now
                    self._watchers.tell()
        finally:
            connection.close()


def _check_log(path: Path) -> None:
    """Refuse a log whose database file is empty or gone: SQLite would start anew, and throw the log away."""
    log = Path(f"{path}-wal")
    # One byte counts as none for SQLite.
    if log.exists() and log.stat().st_size and not (path.exists() and path.stat().st_size > 1):
        raise StorageDamaged(
            f"{path.name} is empty or missing, but its log {log.name} is not",
            recovery=f"Put {path.name} back from a copy or an export; to start anew, move {log.name} away.",
        )


def _migrate(session: _Session) -> None:
    try:
        session.begin()
        migrate(session.sql)
        session.commit()
    except BaseException:
        session.close()  # which rolls back
        raise


def _without_writing(work: Callable[[Sql], T], sql: Sql) -> T:
    """A read that shares the only connection, and perhaps a transaction with writes before it."""
    for finish in list(sql.before_commit.values()):
        finish(sql)
    sql.run("PRAGMA query_only = ON")
    try:
        return work(sql)
    finally:
        sql.run("PRAGMA query_only = OFF")


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
                    f"another process held the store for more than {BUSY_MS // 1000} seconds",
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
        case apsw.Error() | OSError():
            return say(StorageError(f"the store failed ({error})", recovery="Run `thoughtbox doctor`."))
        case _:
            return error


def _damaged(error: Exception) -> StorageError:
    return _with_cause(
        error,
        StorageDamaged(
            f"the database file is damaged or not a Thoughtbox store ({error})",
            recovery="Run `thoughtbox verify` to see what is affected, and restore from an export.",
        ),
    )


def _with_cause(cause: Exception, error: StorageError) -> StorageError:
    error.__cause__ = cause
    return error
