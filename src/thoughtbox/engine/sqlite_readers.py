"""Connections that read an SQLite file: snapshots, long ones, and those with temporary tables of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import apsw

from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.pace import Pace, short_turns
from thoughtbox.engine.protocol import Head, Sql
from thoughtbox.engine.sqlite_sql import SqliteSql
from thoughtbox.engine.witness import Witness

T = TypeVar("T")

STEPS_PER_LOOK = 500
"""Steps of SQLite's machine, some ten rows, between two looks of a long read whether it is to give way."""


class Snapshots:
    """A reading connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        connection.pragma("query_only", True)
        self._connection = connection
        self._execute = connection.cursor().execute

    def read(self, work: Callable[[Sql], T]) -> T:
        return self._read(work, SqliteSql(self._connection))

    def _read(self, work: Callable[[Sql], T], sql: SqliteSql) -> T:
        self._execute("BEGIN")
        try:
            return work(sql)
        finally:
            sql.close_scans()
            if self._connection.in_transaction:
                self._execute("ROLLBACK")

    def interrupt(self) -> None:
        self._connection.interrupt()

    def close(self) -> None:
        # An interrupt that found nothing to break off would break off the tidying up of the last to close.
        self._connection.execute("SELECT 1")
        self._let_go()

    def _let_go(self) -> None:
        self._connection.close()


class FileSnapshots(Snapshots):
    """A reading connection to a file that others may do anything to at any time."""

    def __init__(self, connection: apsw.Connection, files: OpenFiles) -> None:
        super().__init__(connection)
        self._files = files

    def _read(self, work: Callable[[Sql], T], sql: SqliteSql) -> T:
        self._files.check()
        return super()._read(work, sql)

    def _let_go(self) -> None:
        close(self._connection, self._files)


class LongSnapshots(FileSnapshots):
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


class Scratches:
    """Connections that cannot change the file, a new one for each work: its temporary tables end with it."""

    def __init__(self, connect: Callable[[], apsw.Connection], witnessed: Callable[[], dict[str, Head]]) -> None:
        self._connect = connect
        self._witnessed = witnessed
        self._connection: apsw.Connection | None = None

    def read(self, work: Callable[[Sql], T]) -> T:
        witnessed = self._witnessed()  # before the snapshot is taken
        connection = self._connection = self._connect()
        try:
            connection.execute("BEGIN")
            sql = SqliteSql(connection)
            sql.witness = witnessed
            try:
                return work(sql)
            finally:
                sql.close_scans()
        finally:
            self._connection = None
            connection.close(True)  # which rolls back

    def interrupt(self) -> None:
        if self._connection is not None:
            self._connection.interrupt()

    def close(self) -> None:
        """There is none between two works."""


def close(connection: apsw.Connection, files: OpenFiles) -> None:
    """Close a connection. Where other files stand at the paths of its own, they are not SQLite's to remove."""
    if not files.are_in_place():
        leave_log(connection)
    connection.close()


def leave_log(connection: apsw.Connection, leaves: bool = True) -> None:
    """Whether closing the last connection leaves the log alone, instead of folding it in and removing it."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(leaves))
