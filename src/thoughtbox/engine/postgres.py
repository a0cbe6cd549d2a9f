"""PostgreSQL through psycopg: the engine for teams and for many servers.

A few writing threads, each with a connection, that take workspace after workspace; a few
reading threads on snapshots; and a listener that hears what other servers commit.
A server holds no state of its own: any number of them may share one database.
"""

from __future__ import annotations

import logging
import select
import socket
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar

import psycopg
from psycopg import pq

from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.migrations import migrate
from thoughtbox.engine.pace import Pace, short_turns
from thoughtbox.engine.postgres_connection import Connection, Durability, connect, connection_parameters, translate
from thoughtbox.engine.postgres_sql import PREPARE, STANDING, PostgresSql, failure, standing
from thoughtbox.engine.protocol import Dialect, Head, Sql, Unwatch, seldom
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.turnstile import FreeTurn
from thoughtbox.engine.watchers import Watchers
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")
Connect = Callable[[], Connection]

READERS = 3
LONG_READERS = 1
LONGEST_BATCH = 64
"""A connection shows others this many savepoints in memory; beyond, everybody's snapshots get slow."""

RECONNECT_SECONDS = 1.0
CLOSE_SECONDS = 5.0

MIGRATION_LOCK = 0x74686F75676874
"""The advisory lock of servers that start: the letters of "thought"."""

BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"
BEGIN_READING = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
BEGIN_SCRATCH = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE"
SAVEPOINT = b"SAVEPOINT call"

ALONE = b"pg_advisory_lock(%d, hashtext(current_schema()))"
TRY_ALONE = b"pg_try_advisory_lock(%d, hashtext(current_schema()))"
LET_GO = b"pg_advisory_unlock(%d, hashtext(current_schema()))"
ALONE_LOCK = 0x74686F75
RELEASE = b"RELEASE call"

# Behind the commit, not inside: a transaction that notifies holds a lock of the whole server while it
# waits for the disk, and would make all workspaces commit one after the other.
TELL = b"SELECT pg_notify('thoughtbox', current_schema())"
LISTEN = b"LISTEN thoughtbox"


class _Wire:
    """A connection that is replaced when it turns out to have been lost between two transactions."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._take(connect())

    def _take(self, connection: Connection) -> None:
        self.connection = connection
        self.sql = PostgresSql(connection)

    def begin(self, *verbs: bytes) -> pq.abc.PGresult | None:
        try:
            return self.sql.send(*verbs)
        except psycopg.OperationalError:
            if not self.is_lost():
                raise
            # Nothing was under way, so nothing is lost with it.
            self.close()
            self._take(self._connect())
            return self.sql.send(*verbs)

    def is_lost(self) -> bool:
        return self.connection.closed

    def close(self) -> None:
        self.connection.close()


class _Session:
    """The connection of a writing thread."""

    def __init__(self, connect: Connect) -> None:
        self._wire = _Wire(connect)
        self._first_is_marked = False

    @property
    def sql(self) -> PostgresSql:
        return self._wire.sql

    def begin(self, *, patient: bool = True) -> bool:
        self._wire.begin(BEGIN, SAVEPOINT)
        self._first_is_marked = True
        return True

    def savepoint(self) -> None:
        if self._first_is_marked:
            self._first_is_marked = False
        else:
            self.sql.later(SAVEPOINT)

    def release(self) -> None:
        if self.sql.status != pq.TransactionStatus.INTRANS:
            raise StorageError("a statement of this call failed, and the call went on as if it had not")
        self.sql.later(RELEASE)

    def rollback_to_savepoint(self) -> None:
        if self.sql.status == pq.TransactionStatus.INERROR:
            self.sql.forget()  # nothing but the rollback is heard now
        self.sql.send(b"ROLLBACK TO call", RELEASE)
        self.sql.forget()

    def commit(self) -> bool:
        """Commit, and tell the other servers in the same message: this one may be gone before it could send another."""
        sql = self.sql
        wrote, sql.wrote = sql.wrote, False
        try:
            results = sql.exchange(b"COMMIT", *([TELL] if wrote else []))
        except psycopg.OperationalError as error:
            raise _unknown_outcome() from error
        finally:
            sql.forget()
        done = [result.command_status for result in results]
        if b"COMMIT" in done:
            return wrote
        if b"ROLLBACK" in done:
            raise StorageError("a statement failed before the commit, and the failure was passed over")
        failed = failure(results[-1])
        raise failed if failed.diag.severity_nonlocalized == "ERROR" else _unknown_outcome()

    def rollback(self) -> None:
        self.sql.forget()
        self.sql.wrote = False
        self.sql.send(b"ROLLBACK")

    def is_usable(self) -> bool:
        return self.sql.status in (pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR)

    def close(self) -> None:
        self._wire.close()


class _Snapshots:
    """The connection of a reading thread."""

    def __init__(self, connect: Connect, pace: Pace | None = None) -> None:
        self._wire = _Wire(connect)
        self._pace = pace

    def read(self, work: Callable[[Sql], T]) -> T:
        try:
            found = self._wire.begin(BEGIN_READING, STANDING)
            sql = self._wire.sql
            sql.pace = self._pace
            sql.stood = standing(found)
            return work(sql)
        finally:
            sql = self._wire.sql
            sql.memo.clear()
            sql.before_commit.clear()
            sql.forget()
            # Lost just now: what was read was read, and the next snapshot takes another connection.
            with suppress(psycopg.OperationalError):
                sql.send(b"ROLLBACK")

    def interrupt(self) -> None:
        self._wire.connection.cancel_safe(timeout=CLOSE_SECONDS)

    def close(self) -> None:
        self._wire.close()


class _LongSnapshots(_Snapshots):
    """The connection of long reads, which give way to short calls."""

    def read(self, work: Callable[[Sql], T]) -> T:
        with short_turns():
            return super().read(work)


class _Scratches:
    """Connections for temporary tables, a new one for each work: a statement prepared before would not see them."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: Connection | None = None

    def read(self, work: Callable[[Sql], T]) -> T:
        connection = self._connection = self._connect()
        try:
            sql = PostgresSql(connection)
            sql.send(BEGIN_SCRATCH)
            return work(sql)
        finally:
            self._connection = None
            connection.close()  # which rolls back

    def interrupt(self) -> None:
        if self._connection is not None:
            self._connection.cancel_safe(timeout=CLOSE_SECONDS)

    def close(self) -> None:
        """There is none between two works."""


class PostgresEngine:
    """One schema of one database for all workspaces; any number of servers may share it."""

    dialect: Dialect = "postgres"

    def __init__(self, url: str, *, durability: Durability = "full", lanes: int = 4) -> None:
        """Connect, and migrate. At most `lanes` workspaces are written side by side."""
        self._connect = partial(connect, connection_parameters(url), durability)
        try:
            first = _Session(self._connect_to_write)
            _migrate(first)
        except psycopg.Error as error:
            raise translate(error) from error
        self._bell, self._rope = socket.socketpair()
        self._watchers = Watchers(self._listen, wake=lambda: self._rope.send(b"!"))
        self._lanes = Lanes()
        self._most_writers = lanes
        self._writers: list[Writer] = []
        self._hiring = threading.Lock()
        # The connection that migrated goes on as the first writer's: opening costs time.
        self._add_writer(first)
        self._pace = Pace()
        self._readers = Readers(READERS, lambda: _Snapshots(self._connect_to_read), translate=translate)
        self._long_readers = Readers(
            LONG_READERS,
            lambda: _LongSnapshots(self._connect_to_read, self._pace),
            translate=translate,
            name="thoughtbox-long-reader",
        )
        self._scratches = Readers(1, lambda: _Scratches(self._connect), translate=translate)

    def write(self, lane: str, work: Callable[[Sql], T], *, here: bool = False) -> Future[T]:
        # Never here, nor a read: the one who asks would wait for another machine.
        self._pace.call()
        future = self._lanes.put(lane, work)
        # Writers, and their connections, are added as they are needed: most servers get by with one.
        if self._lanes.busy > len(self._writers) < self._most_writers:
            self._add_writer(None)
        return future

    def read(self, work: Callable[[Sql], T], *, long: bool = False, here: bool = False) -> Future[T]:
        if long:
            return self._long_readers.submit(work)
        self._pace.call()
        return self._readers.submit(work)

    def witnessed(self) -> dict[str, Head]:
        return {}

    def scratch(self, work: Callable[[Sql], T]) -> Future[T]:
        return self._scratches.submit(work)

    @contextmanager
    def alone(self, *, patient: bool = True) -> Generator[bool]:
        with self._connect() as connection:
            if patient:
                connection.execute("SET lock_timeout = 0")
                connection.execute(b"SELECT " + ALONE % ALONE_LOCK)
                is_alone = True
            else:
                took = connection.execute(b"SELECT " + TRY_ALONE % ALONE_LOCK).fetchone()
                is_alone = bool(took and took[0])
            try:
                yield is_alone
            finally:
                if is_alone:
                    # The server ends a connection some time after we have closed it; the next may not wait until then.
                    with suppress(psycopg.Error):
                        connection.execute(b"SELECT " + LET_GO % ALONE_LOCK)

    def watch(self, notice: Callable[[], object], *, closely: Callable[[], bool] = seldom) -> Unwatch:
        return self._watchers.add(notice, closely)

    def keep(self) -> None:
        """There is nothing to do: PostgreSQL writes its log in advance."""

    def close(self) -> None:
        self._watchers.close()
        self._bell.close()
        self._rope.close()
        self._lanes.close()
        until = time.monotonic() + CLOSE_SECONDS
        for writer in self._writers:
            writer.join(max(0.0, until - time.monotonic()))
        self._readers.close()
        self._long_readers.close()
        self._scratches.close()

    def _add_writer(self, session: _Session | None) -> None:
        with self._hiring:
            if len(self._writers) < self._most_writers:
                self._writers.append(
                    Writer(
                        f"thoughtbox-writer-{len(self._writers) + 1}",
                        self._lanes,
                        partial(_Session, self._connect_to_write),
                        first=session,
                        translate=translate,
                        turn=FreeTurn(),
                        committed=self._watchers.tell,
                        longest_batch=LONGEST_BATCH,
                    )
                )

    def _connect_to_write(self) -> Connection:
        # The connection before this one may have been lost between its commit and the telling of it.
        return self._connect_and(TELL)

    def _connect_to_read(self) -> Connection:
        return self._connect_and(PREPARE)

    def _connect_and(self, statement: bytes) -> Connection:
        connection = self._connect()
        try:
            connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def _listen(self, stop: threading.Event) -> None:
        """Tell the watchers when a server has committed, and once after every time we were not listening."""
        listening = True
        while not stop.is_set():
            try:
                with self._connect() as connection:
                    (schema,) = connection.execute("SELECT current_schema()").fetchone() or ("",)
                    connection.execute(LISTEN)
                    listening = True
                    self._watchers.tell()
                    arrives = select.poll()  # unlike select, it takes descriptors of any number
                    for source in (connection, self._bell):
                        arrives.register(source, select.POLLIN)
                    while not stop.is_set():
                        if schema in {notice.payload for notice in connection.notifies(timeout=0)}:
                            self._watchers.tell()
                        arrives.poll()
            except psycopg.Error as error:
                if listening:
                    logger.warning("not hearing of other servers' commits for now: %s", translate(error))
                listening = False
                stop.wait(RECONNECT_SECONDS)


def _migrate(session: _Session) -> None:
    session.begin()
    try:
        # Servers that start at once wait for each other, however long the first one takes.
        session.sql.run("SET LOCAL lock_timeout = 0")
        session.sql.run("SELECT pg_advisory_xact_lock(?)", (MIGRATION_LOCK,))
        migrate(session.sql)
        session.commit()
    except BaseException:
        session.close()
        raise


def _unknown_outcome() -> StorageError:
    return StorageError(
        "the connection to PostgreSQL was lost during the commit: what was written may be there or not",
        recovery="Look whether it is there before you send it again, or send it with its idempotency key.",
        details={"outcome": "unknown"},
    )
