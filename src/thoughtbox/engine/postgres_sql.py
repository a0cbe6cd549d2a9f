"""An open PostgreSQL transaction. Its verbs wait for the next statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any

import psycopg
from psycopg import generators, pq
from psycopg.errors import error_from_result

from thoughtbox.engine.pace import Pace
from thoughtbox.engine.postgres_connection import LOCK_SECONDS, Connection, translate
from thoughtbox.engine.postgres_words import in_postgres_words
from thoughtbox.engine.protocol import Dialect, Head, Row, Sql, Standing
from thoughtbox.engine.savepoints import nested
from thoughtbox.errors import StorageError

SCAN_ROWS = 256
MANY_ROWS = 1024

# A snapshot does not cover the tables themselves: one that is put in the place of another would be found half
# empty by whoever began before. So readers hold this lock, which is taken before the snapshot is.
STANDING = b"LOCK TABLE workspaces IN ACCESS SHARE MODE; EXECUTE standing"
PREPARE = b"PREPARE standing AS SELECT epoch, imports FROM store"
HOLD = b"LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE"
HOLD_MS = 300
"""How long others wait behind whoever wants to hold the store and cannot, because of a long read, say."""
SAVEPOINT_PART = b"SAVEPOINT part"
RELEASE_PART = b"RELEASE part"


class PostgresSql:
    """An open transaction on one connection.

    Its verbs wait for the next statement and go ahead of it in one message, so that a call
    costs one round trip more than its statements do.
    """

    dialect: Dialect = "postgres"
    learnt_holds = False

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
        self.witness: dict[str, Head] = {}
        self.pace: Pace | None = None
        """Of a long read, which lets others through between two parts of a scan."""

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
                if self.pace is not None:
                    self.pace.give_way()
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

    def nested(self) -> AbstractContextManager[None]:
        return nested(self, begin=self._begin_part, end=self._end_part, undo=self._undo_part)

    def _begin_part(self) -> None:
        self.later(SAVEPOINT_PART)

    def _end_part(self) -> None:
        if self.status != pq.TransactionStatus.INTRANS:
            raise StorageError("a statement of a part failed, and the part went on as if it had not")
        self.later(RELEASE_PART)

    def _undo_part(self) -> None:
        if self.status == pq.TransactionStatus.INERROR:
            self.forget()  # nothing but the rollback is heard now; the savepoint was sent before what failed
        self.send(b"ROLLBACK TO part", RELEASE_PART)

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
            raise failure(result)
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


def failure(result: pq.abc.PGresult) -> psycopg.Error:
    error = error_from_result(result)
    # Without a state it is not the server that speaks: the connection is gone.
    return error if error.sqlstate else psycopg.OperationalError(str(error))


def standing(found: pq.abc.PGresult | None) -> Standing:
    """What a snapshot's first statement has found of the store."""
    assert found is not None
    return Standing(*(int(found.get_value(0, column) or 0) for column in range(2)))
