"""Group commit: one thread takes what is waiting, runs it, commits once, then answers all.

Both engines write through this; what differs between them is a `Session`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import StorageError

logger = logging.getLogger(__name__)

LONGEST_BATCH = 256
"""Calls that may share one commit."""

LONGEST_BATCH_SECONDS = 0.05
"""A batch stops taking calls after this time, so that other processes get their turn."""


class Session(Protocol):
    """A connection that writes: the transaction verbs of one engine."""

    sql: Sql

    def begin(self) -> None: ...

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def savepoint(self) -> None: ...

    def release(self) -> None: ...

    def rollback_to_savepoint(self) -> None: ...

    def is_usable(self) -> bool:
        """Whether the transaction begun is still open and can go on."""
        ...

    def close(self) -> None: ...


class _Task(NamedTuple):
    work: Callable[[Sql], Any]
    future: Future[Any]


class _Outcome(NamedTuple):
    future: Future[Any]
    result: Any
    error: BaseException | None


class Writer:
    """One writing thread and its queue."""

    def __init__(
        self,
        name: str,
        connect: Callable[[], Session],
        *,
        translate: Callable[[Exception], Exception],
        turn: AbstractContextManager[object],
        committed: Callable[[], None],
    ) -> None:
        """`translate` turns the engine's own errors into ours, and leaves others as they are."""
        self._connect = connect
        self._translate = translate
        self._turn = turn
        self._committed = committed
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        self._session: Session | None = None
        self._closed = False
        self._ending = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Sql], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        if self._closed:
            future.set_exception(StorageError("the store is closed"))
            return future
        self._queue.put(_Task(work, future))
        return future

    def close(self, timeout: float) -> None:
        """Finish what was accepted; give up waiting for it after `timeout` seconds."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._ending and (task := self._queue.get()) is not None:
            try:
                with self._turn:
                    outcomes = self._batch(task)
            except Exception as error:
                # The turn itself could not be had (its lock file is gone, say).
                outcomes = [_Outcome(task.future, None, self._translate(error))]
            for future, result, error in outcomes:
                if error is not None:
                    future.set_exception(error)
                else:
                    future.set_result(result)
        self._drop_session()
        self._refuse_latecomers()

    def _refuse_latecomers(self) -> None:
        """Answer calls that slipped in behind the end mark."""
        while (task := self._next_waiting()) is not None:
            task.future.set_exception(StorageError("the store is closed"))

    def _batch(self, first: _Task) -> list[_Outcome]:
        """Run `first` and what waits behind it in one transaction; what to tell whom."""
        try:
            session = self._open_session()
            session.begin()
        except Exception as error:
            self._drop_session()
            return [_Outcome(first.future, None, self._translate(error))] if _starts(first) else []

        outcomes: list[_Outcome] = []
        until = time.monotonic() + LONGEST_BATCH_SECONDS
        task: _Task | None = first
        try:
            while task is not None:
                if _starts(task):
                    outcomes.append(self._call(session, task))
                    if not session.is_usable():
                        raise outcomes[-1].error or StorageError("the transaction was ended by the engine")
                if len(outcomes) >= LONGEST_BATCH or time.monotonic() > until:
                    break
                task = self._next_waiting()
            for finish in session.sql.before_commit.values():
                finish(session.sql)
            session.commit()
        except Exception as error:
            self._abandon(session)
            translated = self._translate(error)
            return [_Outcome(outcome.future, None, outcome.error or translated) for outcome in outcomes]
        finally:
            session.sql.memo.clear()
            session.sql.before_commit.clear()
        self._committed()
        return outcomes

    def _call(self, session: Session, task: _Task) -> _Outcome:
        """Run one call in its own savepoint: it leaves all it wrote, or nothing."""
        sql = session.sql
        known = dict(sql.memo)
        session.savepoint()
        try:
            result = task.work(sql)
        except Exception as error:
            if session.is_usable():
                session.rollback_to_savepoint()
            sql.memo.clear()
            sql.memo.update(known)
            return _Outcome(task.future, None, self._translate(error))
        session.release()
        return _Outcome(task.future, result, None)

    def _next_waiting(self) -> _Task | None:
        try:
            task = self._queue.get_nowait()
        except Empty:
            return None
        self._ending = task is None
        return task

    def _open_session(self) -> Session:
        if self._session is None:
            self._session = self._connect()
        return self._session

    def _abandon(self, session: Session) -> None:
        """After a failed commit nothing about the connection can be trusted: start afresh."""
        try:
            session.rollback()
        except Exception:
            logger.debug("rollback after a failed commit", exc_info=True)
        self._drop_session()

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            try:
                session.close()
            except Exception:
                logger.debug("closing a failed connection", exc_info=True)


def _starts(task: _Task) -> bool:
    """False when the caller cancelled while the call was waiting."""
    return task.future.set_running_or_notify_cancel()
