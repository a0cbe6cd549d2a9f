"""SQLite through apsw: the engine out of the box, nothing to install or start.

One writing thread, a few reading threads on snapshots of their own, and a watcher
that notices what other processes commit. Several processes on one file are the
normal case.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import apsw

from thoughtbox.engine.alone import Alone
from thoughtbox.engine.file_system import refuse_network
from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.migrations import migrate
from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.pace import Pace
from thoughtbox.engine.protocol import Dialect, Head, Sql, Unwatch, seldom
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.sqlite_damage import (
    FOREIGN_TABLES,
    find_damage,
    refuse_foreign,
    refuse_lone_log,
    refuse_lone_witness,
)
from thoughtbox.engine.sqlite_readers import FileSnapshots, LongSnapshots, Scratches, close, leave_log
from thoughtbox.engine.sqlite_sql import SqliteSql, translate
from thoughtbox.engine.sqlite_watch import SqliteWatch
from thoughtbox.engine.turnstile import PATIENCE_SECONDS, FreeTurn, Turnstile
from thoughtbox.engine.watchers import Watchers
from thoughtbox.engine.witness import Witness
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageDamaged, StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")
Durability = Literal["full", "normal"]

OLDEST_SQLITE = (3, 51, 3)
"""Older ones lack the WAL-reset fix of 2026, or contentless full-text deletes."""

READERS = 3
LONG_READERS = 1

RETRY_SECONDS = 1.0
CLOSE_SECONDS = 5.0
AUTOCHECKPOINT_PAGES = 16_384

PATIENCE_MS = int(PATIENCE_SECONDS * 1000)

ONE_LANE = ""
"""The file has one writer, so calls of all workspaces wait together and share commits."""


class _Session:
    """The writing connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        cursor = connection.cursor()
        self._execute = cursor.execute
        self._changes = 0
        self._version = 0
        self._is_first = True
        self._is_patient = True
        self.sql = SqliteSql(connection, cursor)

    def begin(self, *, patient: bool = True) -> bool:
        if patient is not self._is_patient:
            self._connection.set_busy_timeout(PATIENCE_MS if patient else 0)
            self._is_patient = patient
        try:
            self._execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            if patient:
                raise
            return False
        self._changes = self._connection.total_changes()
        if self._connection.data_version() != self._version:
            self.sql.learnt.clear()  # somebody else has written
        self._is_first = True
        return True

    def commit(self) -> bool:
        self.sql.settle()
        self.sql.close_scans()
        anything = self._connection.total_changes() != self._changes
        self._end(anything)
        self._version = self._connection.data_version()
        return anything

    def _end(self, anything: bool) -> None:
        self._execute("COMMIT")

    def rollback(self) -> None:
        self.sql.forget()
        self.sql.close_scans()
        if self._connection.in_transaction:
            self._execute("ROLLBACK")

    def savepoint(self) -> None:
        # Behind a savepoint, every page that is written to is copied first. The first call of a transaction needs none.
        if not self._is_first:
            self.sql.begin_call()

    def release(self) -> None:
        if not self._is_first:
            self.sql.end_call()
        self._is_first = False

    def rollback_to_savepoint(self) -> None:
        if self._is_first:
            self.rollback()
            self.begin()
        else:
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
            self._execute("COMMIT")
            return
        self._files.check()
        self._execute("COMMIT")
        if self._witness.synced:
            self._files.check(is_written=True)  # waiting for the disk may have taken long
        self._witness.write(self.sql.witness)

    def leave_log(self, leaves: bool) -> None:
        leave_log(self._connection, leaves)

    def close(self) -> None:
        if self._files.are_in_place():
            self._files.let_go_of_log()
        close(self._connection, self._files)


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
        self._keeps_log = False
        self._pace = Pace()
        self._last_commit = time.monotonic()
        self._watchers = Watchers(self._watch_other_processes)
        self._turnstile = Turnstile(path) if path else None
        self._alone = Alone(path)
        turn = self._turnstile or FreeTurn()
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
        self._scratches = Readers(1, self._scratch_snapshots, translate=translate) if path else None

    def write(self, lane: str, work: Callable[[Sql], T], *, here: bool = False) -> Future[T]:
        if self._damage is not None:
            refused: Future[T] = Future()
            refused.set_exception(self._damage)
            return refused
        self._pace.call()
        return self._written(work, here=here)

    def read(self, work: Callable[[Sql], T], *, long: bool = False, here: bool = False) -> Future[T]:
        readers = self._long_readers if long else self._readers
        if readers is None:
            return self._written(partial(_without_writing, work), here=here and not long)
        if long:
            return readers.submit(work)
        self._pace.call()
        return readers.submit(work, here=here)

    def witnessed(self) -> dict[str, Head]:
        return self._witness.read().heads if self._path else {}

    def scratch(self, work: Callable[[Sql], T]) -> Future[T]:
        if self._scratches is None:
            return self._written(partial(_undone, work), here=False)
        return self._scratches.submit(work)

    def alone(self, *, patient: bool = True) -> AbstractContextManager[bool]:
        return self._alone.entered(patient=patient)

    def watch(self, notice: Callable[[], object], *, closely: Callable[[], bool] = seldom) -> Unwatch:
        return self._watchers.add(notice, closely)

    def keep(self) -> None:
        # Only for commits that are synced: the others do not wait for the disk.
        self._keeps_log = self._durability == "full"

    def close(self) -> None:
        self._watchers.close()
        self._lanes.close()
        self._writer.join(CLOSE_SECONDS)
        for readers in (self._readers, self._long_readers, self._scratches):
            if readers is not None:
                readers.close()
        if self._turnstile is not None:
            self._turnstile.close()
            self._witness.close()

    def _written(self, work: Callable[[Sql], T], *, here: bool) -> Future[T]:
        done = self._writer.write_here(ONE_LANE, work) if here else None
        return done if done is not None else self._lanes.put(ONE_LANE, work)

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

    def _snapshots(self) -> FileSnapshots:
        return FileSnapshots(self._open_again(), self._files)

    def _long_snapshots(self) -> LongSnapshots:
        return LongSnapshots(self._open_again(), self._files, self._witness, self._pace)

    def _scratch_snapshots(self) -> Scratches:
        return Scratches(self._open_to_read, self.witnessed)

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
            connection.set_busy_timeout(PATIENCE_MS)
            # A plan depends on the statement alone. Else every statement that compares an indexed column with a
            # parameter is compiled anew whenever it runs, which takes ten times as long as running it.
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
            connection.pragma("wal_autocheckpoint", AUTOCHECKPOINT_PAGES)
            if self._path:
                refuse_foreign(self._path, [row[0] for row in connection.execute(FOREIGN_TABLES)])
                connection.pragma("journal_mode", "wal")
            connection.pragma("synchronous", self._durability)
        except BaseException:
            connection.close(True)
            raise
        return connection

    def _open_to_read(self) -> apsw.Connection:
        self._files.check()
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY, vfs=self._vfs)
        connection.set_busy_timeout(PATIENCE_MS)
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
        watch = SqliteWatch(path, connection, self._files, lambda: self._keeps_log, self._watchers.are_close)
        try:
            watch.run(stop, self._watchers.tell, lambda: self._last_commit)
        finally:
            watch.close()
            close(connection, self._files)


def check_library() -> None:
    """Refuse an SQLite that may damage a store."""
    found = apsw.sqlite_lib_version()
    if tuple(map(int, found.split("."))) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise StorageError(
            f"SQLite {found} is too old: in some states it can damage a store that several processes write to",
            recovery=f"Install an apsw that carries SQLite {oldest} or later: pip install --upgrade apsw",
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


def _undone(work: Callable[[Sql], T], sql: Sql) -> T:
    """Work that may make temporary tables, on the only connection: whatever it did is undone."""
    for finish in list(sql.before_commit.values()):
        finish(sql)
    memo = dict(sql.memo)
    sql.run("SAVEPOINT scratch")
    try:
        return work(sql)
    finally:
        sql.run("ROLLBACK TO scratch")
        sql.run("RELEASE scratch")
        sql.memo.clear()
        sql.memo.update(memo)
