"""SQLite through apsw: the engine out of the box, nothing to install or start.

One writing thread, a few reading threads on snapshots of their own, and a watcher
that notices what other processes commit. Several processes on one file are the
normal case.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import apsw

from thoughtbox.engine.file_system import refuse_network
from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.migrations import migrate
from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.pace import Pace, short_turns
from thoughtbox.engine.protocol import Dialect, Head, Row, Sql, Unwatch
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.savepoints import nested
from thoughtbox.engine.sqlite_damage import find_damage, refuse_lone_log, refuse_lone_witness
from thoughtbox.engine.sqlite_watch import SqliteWatch
from thoughtbox.engine.turnstile import PATIENCE_SECONDS, Turnstile
from thoughtbox.engine.watchers import Watchers
from thoughtbox.engine.witness import Witness
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageBusy, StorageDamaged, StorageError, StorageFull

logger = logging.getLogger(__name__)

T = TypeVar("T")
Durability = Literal["full", "normal"]

OLDEST_SQLITE = (3, 51, 3)
"""Older ones lack the WAL-reset fix of 2026, or contentless full-text deletes."""

READERS = 3
LONG_READERS = 1
STEPS_PER_LOOK = 500
"""Steps of SQLite's machine, some ten rows, between two looks of a long read whether it is to give way."""

RETRY_SECONDS = 1.0
CLOSE_SECONDS = 5.0
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
        self._connection = connection
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
        self.witness: dict[str, Head] = {}

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
        anything = self._connection.total_changes() != self._changes
        self._end(anything)
        return anything

    def _end(self, anything: bool) -> None:
        self._execute("COMMIT")

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


class _FileSession(_Session):
    """The writing connection to a database that is a file: others may do anything to it at any time."""

    def __init__(self, connection: apsw.Connection, files: OpenFiles, witness: Witness) -> None:
        super().__init__(connection)
        self._files = files
        self._witness = witness

    def _end(self, anything: bool) -> None:
        """Commit to the files that the store still has, and note outside of it how far it has come."""
        if not anything:
            super()._end(anything)
            return
        self._files.check()
        super()._end(anything)
        if self._witness.synced:
            self._files.check(is_written=True)  # waiting for the disk may have taken long
        self._witness.write(self.sql.witness)

    def leave_log(self, leaves: bool) -> None:
        leave_log(self._connection, leaves)

    def close(self) -> None:
        if self._files.are_in_place():
            self._files.let_go_of_log()
        _close(self._connection, self._files)


class _Snapshots:
    """A reading connection to a file."""

    def __init__(self, connection: apsw.Connection, files: OpenFiles) -> None:
        connection.pragma("query_only", True)
        self._connection = connection
        self._files = files

    def read(self, work: Callable[[Sql], T]) -> T:
        return self._read(work, SqliteSql(self._connection))

    def _read(self, work: Callable[[Sql], T], sql: SqliteSql) -> T:
        self._files.check()
        self._connection.execute("BEGIN")
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
        _close(self._connection, self._files)


class _LongSnapshots(_Snapshots):
    """The connection of long reads, which give way to short calls."""

    def __init__(self, connection: apsw.Connection, files: OpenFiles, witness: Witness, pace: Pace) -> None:
        super().__init__(connection, files)
        self._witness = witness

        def look() -> bool:
            pace.give_way()
            return False  # not to be broken off

        connection.set_progress_handler(look, STEPS_PER_LOOK)

    def read(self, work: Callable[[Sql], T]) -> T:
        sql = SqliteSql(self._connection)
        sql.witness = self._witness.read().heads  # before the snapshot is taken
        with short_turns():
            return self._read(work, sql)


class SqliteEngine:
    """One database file, or one database in memory, for all workspaces."""

    dialect: Dialect = "sqlite"

    def __init__(
        self,
        path: Path | None,
        *,
        durability: Durability = "full",
        tolerant: bool = False,
        vfs: str | None = None,
    ) -> None:
        """Open (and create, and migrate) the file; without one, a database in memory.

        A store that has lost records is refused. `tolerant` opens it nonetheless, to be looked at:
        nothing is written to it, and its files stay as they are.
        `vfs` names a registered apsw VFS, for tests that make the disk fail.
        """
        check_library()
        self._path = path
        self._durability = durability
        self._vfs = vfs
        self._damage: StorageDamaged | None = None
        self._pace = Pace()
        self._last_commit = time.monotonic()
        self._watchers = Watchers(self._watch_other_processes)
        self._turnstile = Turnstile(path) if path else None
        turn = self._turnstile or nullcontext()
        try:
            if path:
                refuse_network(path.parent)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._files = OpenFiles(path)
                self._witness = Witness(path, synced=durability == "full")
            with turn:
                first = self._first_session(tolerant=tolerant)
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
            self._session if path else lambda: _Session(self._open()),
            first=first,
            translate=translate,
            turn=turn,
            committed=self._committed,
        )
        # A database in memory has one connection only: reads queue with the writes.
        self._readers = Readers(READERS, self._snapshots, translate=translate) if path else None
        self._long_readers = (
            Readers(LONG_READERS, self._long_snapshots, translate=translate, name="thoughtbox-long-reader")
            if path
            else None
        )

    def write(self, lane: str, work: Callable[[Sql], T]) -> Future[T]:
        if self._damage is not None:
            refused: Future[T] = Future()
            refused.set_exception(self._damage)
            return refused
        self._pace.call()
        return self._lanes.put(ONE_LANE, work)

    def read(self, work: Callable[[Sql], T], *, long: bool = False) -> Future[T]:
        readers = self._long_readers if long else self._readers
        if readers is None:
            return self._lanes.put(ONE_LANE, partial(_without_writing, work))
        if not long:
            self._pace.call()
        return readers.submit(work)

    def witnessed(self) -> dict[str, Head]:
        return self._witness.read().heads if self._path else {}

    def watch(self, notice: Callable[[], object]) -> Unwatch:
        return self._watchers.add(notice)

    def close(self) -> None:
        self._watchers.close()
        self._lanes.close()
        self._writer.join(CLOSE_SECONDS)
        for readers in (self._readers, self._long_readers):
            if readers is not None:
                readers.close()
        if self._turnstile is not None:
            self._turnstile.close()
            self._witness.close()

    def _committed(self) -> None:
        self._last_commit = time.monotonic()
        self._watchers.tell()

    def _first_session(self, *, tolerant: bool) -> _Session:
        """The connection that migrates. What a file holds is looked at before anything is done to it."""
        if self._path is None:
            session = _Session(self._open())
            _migrate(session)
            return session
        entries = self._witness.read()
        if entries.torn:
            logger.warning("%s has %d torn entries, which say nothing", self._witness.path.name, entries.torn)
        refuse_lone_log(self._path)
        refuse_lone_witness(self._path, entries)
        session = self._session()
        try:
            session.leave_log(True)
            damage = find_damage(session.sql, self._path, entries, synced=self._durability == "full")
            if damage is not None:
                self._damage = damage.error()
                if not tolerant or damage.is_total:
                    raise self._damage
                return session
            session.leave_log(False)
        except BaseException:
            session.close()
            raise
        _migrate(session)
        return session

    def _session(self) -> _FileSession:
        connection = self._open_again()
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()  # from now on it has the log
            self._files.hold()
        except BaseException:
            leave_log(connection)
            connection.close(True)
            raise
        return _FileSession(connection, self._files, self._witness)

    def _snapshots(self) -> _Snapshots:
        return _Snapshots(self._open_again(), self._files)

    def _long_snapshots(self) -> _LongSnapshots:
        return _LongSnapshots(self._open_again(), self._files, self._witness, self._pace)

    def _open_again(self) -> apsw.Connection:
        """Another connection to the same files: whatever stands in their place now is not taken for them."""
        self._files.check()
        connection = self._open()
        if self._damage is not None:
            leave_log(connection)
        return connection

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path) if self._path else ":memory:", vfs=self._vfs)
        try:
            connection.set_busy_timeout(int(PATIENCE_SECONDS * 1000))
            # A plan depends on the statement alone. Else every statement that compares an indexed column with a
            # parameter is compiled anew whenever it runs, which takes ten times as long as running it.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            connection.pragma("wal_autocheckpoint", AUTOCHECKPOINT_PAGES)
            if self._path:
                connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", self._durability)
        except BaseException:
            connection.close(True)
            raise
        return connection

    def _watch_other_processes(self, stop: threading.Event) -> None:
        """Tell the watchers when another process has committed, and fold in the log of a store at rest."""
        while self._path is not None and self._damage is None and not stop.is_set():
            try:
                self._watch(self._path, stop)
            except (apsw.Error, StorageError) as error:
                logger.warning("not hearing of other processes' commits for now: %s", error)
                stop.wait(RETRY_SECONDS)

    def _watch(self, path: Path, stop: threading.Event) -> None:
        connection = self._open_again()
        watch = SqliteWatch(path, connection, self._files)
        try:
            watch.run(stop, self._watchers.tell, lambda: self._last_commit)
        finally:
            watch.close()
            _close(connection, self._files)


def check_library() -> None:
    """Refuse an SQLite that may damage a store."""
    found = apsw.sqlite_lib_version()
    if tuple(map(int, found.split("."))) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise StorageError(
            f"SQLite {found} is too old: in some states it can damage a store that several processes write to",
            recovery=f"Install an apsw that carries SQLite {oldest} or later: pip install --upgrade apsw",
        )


def _close(connection: apsw.Connection, files: OpenFiles) -> None:
    """Close a connection. Where other files stand at the paths of its own, they are not SQLite's to remove."""
    if not files.are_in_place():
        leave_log(connection)
    connection.close()


def leave_log(connection: apsw.Connection, leaves: bool = True) -> None:
    """Whether closing the last connection leaves the log alone, instead of folding it in and removing it."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(leaves))


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
