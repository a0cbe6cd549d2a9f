"""PostgreSQL through psycopg: the engine for teams and for many servers.

A few writing threads, each with a connection, that take workspace after workspace; a few
reading threads on snapshots; and a listener that hears what other servers commit.
A server holds no state of its own: any number of them may share one database.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import psycopg
from psycopg import generators, pq
from psycopg.errors import error_from_result

from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.migrations import migrate
from thoughtbox.engine.postgres_connection import (
    LOCK_SECONDS,
    Connection,
    Durability,
    connect,
    connection_parameters,
    translate,
)
from thoughtbox.engine.postgres_words import in_postgres_words
from thoughtbox.engine.protocol import Dialect, Row, Sql, Standing, Unwatch
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.watchers import Watchers
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")
Connect = Callable[[], Connection]

READERS = 3
LONGEST_BATCH = 64
"""A connection shows others this many savepoints in memory; beyond, everybody's snapshots get slow."""

SCAN_ROWS = 256
MANY_ROWS = 1024
LISTEN_SECONDS = 0.1
RECONNECT_SECONDS = 1.0
CLOSE_SECONDS = 5.0

MIGRATION_LOCK = 0x74686F75676874
"""The advisory lock of servers that start: the letters of "thought"."""

BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"
BEGIN_READING = b"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
SAVEPOINT = b"SAVEPOINT call"

# A snapshot does not cover the tables themselves: one that is put in the place of another would be found half
# empty by whoever began before. So readers hold this lock, which is taken before the snapshot is.
STANDING = b"LOCK TABLE workspaces IN ACCESS SHARE MODE; EXECUTE standing"
PREPARE = b"PREPARE standing AS SELECT epoch, imports FROM store"
HOLD = b"LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE"
HOLD_MS = 300
"""How long others wait behind whoever wants to hold the store and cannot, because of a long read, say."""

ALONE = b"pg_advisory_lock(%d, hashtext(current_schema()))"
ALONE_LOCK = 0x74686F75
RELEASE = b"RELEASE call"

# Behind the commit, not inside: a transaction that notifies holds a lock of the whole server while it
# waits for the disk, and would make all workspaces commit one after the other.
TELL = b"SELECT pg_notify('thoughtbox', current_schema())"
LISTEN = b"LISTEN thoughtbox"


class PostgresSql:
    """An open transaction on one connection.

    Its verbs wait for the next statement and go ahead of it in one message, so that a call
    costs one round trip more than its statements do.
    """

    dialect: Dialect = "postgres"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cursor = connection.cursor(binary=True)
        self._waiting: list[bytes] = []
        self._scans = 0
        self.stood: Standing | None = None
        """How the store stood when the snapshot was taken; None where there is none."""
        self.wrote = False
        self.memo: dict[Any, Any] = {}
        self.learnt: dict[Any, Any] = {}
        self.before_commit: dict[str, Callable[[Sql], None]] = {}

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        cursor = self._run(statement, parameters)
        return cursor.fetchall() if cursor.rownumber is not None else []

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        cursor = self._run(statement, parameters)
        return cursor.fetchone() if cursor.rownumber is not None else None

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        self._run(statement, parameters)

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        text = in_postgres_words(statement).text
        rest = iter(rows)
        # In slices, since the rows may come from a scan: the connection does one thing at a time.
        while part := list(islice(rest, MANY_ROWS)):
            self.wrote = True
            try:
                self.send()
                self._cursor.executemany(text, part)
            except psycopg.Error as error:
                raise translate(error) from error

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        self._run(statement, row)

    def scan(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        self._scans += 1
        name = b"scan_%d" % self._scans
        declared = b"DECLARE %s NO SCROLL CURSOR FOR %s" % (name, in_postgres_words(statement).text)
        self._execute(declared, parameters, prepare=False)
        # The transaction may be over before the scan is dropped; its list is then never sent.
        waiting = self._waiting
        try:
            while part := self._execute(b"FETCH %d FROM %s" % (SCAN_ROWS, name), (), prepare=False).fetchall():
                yield from part
        finally:
            waiting.append(b"CLOSE " + name)

    def lock(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        return self.row(f"{statement} FOR UPDATE", parameters)

    def hold(self, *, patient: bool = False) -> None:
        try:
            if patient:
                self.send(HOLD)
            else:
                self.send(b"SET LOCAL lock_timeout = '%dms'" % HOLD_MS, HOLD)
                self.send(b"SET LOCAL lock_timeout = '%ds'" % LOCK_SECONDS)
        except psycopg.Error as error:
            raise translate(error) from error

    def standing(self) -> Standing:
        if self.stood is None:
            row = self.row("SELECT epoch, imports FROM store")
            assert row is not None
            return Standing(*row)
        return self.stood

    def _run(self, statement: str, parameters: Sequence[Any]) -> psycopg.Cursor[Row]:
        words = in_postgres_words(statement)
        self.wrote = self.wrote or words.writes
        return self._execute(words.text, parameters, prepare=None)

    def _execute(self, text: bytes, parameters: Sequence[Any], *, prepare: bool | None) -> psycopg.Cursor[Row]:
        try:
            self.send()
            return self._cursor.execute(text, parameters, prepare=prepare)
        except psycopg.Error as error:
            raise translate(error) from error

    @property
    def status(self) -> int:
        return self._connection.pgconn.transaction_status

    def later(self, verb: bytes) -> None:
        """Let a verb wait for the next statement."""
        self._waiting.append(verb)

    def send(self, *verbs: bytes) -> pq.abc.PGresult | None:
        """Send what waits, and then these; what came of the last."""
        if not self._waiting and not verbs:
            return None
        result = self._connection.pgconn.exec_(self._message(verbs))
        if result.status == pq.ExecStatus.FATAL_ERROR:
            raise _failure(result)
        return result

    def exchange(self, *verbs: bytes) -> list[pq.abc.PGresult]:
        """Send what waits, and then these; what came of each, as far as an error let it come."""
        pgconn = self._connection.pgconn
        pgconn.send_query(self._message(verbs))
        return self._connection.wait(generators.execute(pgconn))

    def forget(self) -> None:
        """What waits belongs to a transaction, or a call, that is over: it is not sent any more."""
        self._waiting = []

    def _message(self, verbs: Iterable[bytes]) -> bytes:
        message = b"; ".join([*self._waiting, *verbs])
        self._waiting.clear()
        return message


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

    def begin(self) -> None:
        self._wire.begin(BEGIN, SAVEPOINT)
        self._first_is_marked = True

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
        failure = _failure(results[-1])
        raise failure if failure.diag.severity_nonlocalized == "ERROR" else _unknown_outcome()

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

    def __init__(self, connect: Connect) -> None:
        self._wire = _Wire(connect)

    def read(self, work: Callable[[Sql], T]) -> T:
        try:
            found = self._wire.begin(BEGIN_READING, STANDING)
            sql = self._wire.sql
            sql.stood = _standing(found)
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
        self._watchers = Watchers(self._listen)
        self._lanes = Lanes()
        self._most_writers = lanes
        self._writers: list[Writer] = []
        self._hiring = threading.Lock()
        # The connection that migrated goes on as the first writer's: opening costs time.
        self._add_writer(first)
        self._readers = Readers(READERS, lambda: _Snapshots(self._connect_to_read), translate=translate)

    def write(self, lane: str, work: Callable[[Sql], T]) -> Future[T]:
        future = self._lanes.put(lane, work)
        # Writers, and their connections, are added as they are needed: most servers get by with one.
        if self._lanes.busy > len(self._writers) < self._most_writers:
            self._add_writer(None)
        return future

    def read(self, work: Callable[[Sql], T]) -> Future[T]:
        return self._readers.submit(work)

    @contextmanager
    def alone(self, *, patient: bool = True) -> Generator[bool]:
        with self._connect() as connection:
            if patient:
                connection.execute("SET lock_timeout = 0")
                connection.execute(b"SELECT " + ALONE % ALONE_LOCK)
                yield True
            else:
                took = connection.execute(b"SELECT " + ALONE.replace(b"pg_", b"pg_try_") % ALONE_LOCK).fetchone()
                yield bool(took and took[0])

    def watch(self, notice: Callable[[], object]) -> Unwatch:
        return self._watchers.add(notice)

    def close(self) -> None:
        self._watchers.close()
        self._lanes.close()
        until = time.monotonic() + CLOSE_SECONDS
        for writer in self._writers:
            writer.join(max(0.0, until - time.monotonic()))
        self._readers.close()

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
                        turn=nullcontext(),
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
                    while not stop.is_set():
                        heard = {notice.payload for notice in connection.notifies(timeout=LISTEN_SECONDS, stop_after=1)}
                        if schema in heard:
                            self._watchers.tell()
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


def _standing(found: pq.abc.PGresult | None) -> Standing:
    assert found is not None
    return Standing(*(int(found.get_value(0, column) or 0) for column in range(2)))


def _failure(result: pq.abc.PGresult) -> psycopg.Error:
    error = error_from_result(result)
    # Without a state it is not the server that speaks: the connection is gone.
    return error if error.sqlstate else psycopg.OperationalError(str(error))


def _unknown_outcome() -> StorageError:
    return StorageError(
        "the connection to PostgreSQL was lost during the commit: what was written may be there or not",
        recovery="Look whether it is there before you send it again, or send it with its idempotency key.",
        details={"outcome": "unknown"},
    )
