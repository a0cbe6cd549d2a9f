"""Group commit: a thread takes what is waiting, runs it, commits once, then answers all.

Where nothing waits, whoever brings a call may run it in the thread's place. Both engines write through this; what
differs between them is a `Session`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from thoughtbox.engine.lanes import Call, Lane, Lanes
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.savepoints import Known, forget
from thoughtbox.engine.settled import Settled
from thoughtbox.engine.turnstile import Turn
from thoughtbox.errors import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")

LONGEST_BATCH = 256
"""Calls that may share one commit."""

LONGEST_BATCH_SECONDS = 0.05
"""A batch stops taking calls after this time, so that other processes get their turn."""


class Session(Protocol):
    """A connection that writes: the transaction verbs of one engine."""

    @property
    def sql(self) -> Sql: ...

    def begin(self, *, patient: bool = True) -> bool:
        """Open a transaction; false when somebody else's is in the way, which only the `patient` wait for."""
        ...

    def commit(self) -> bool:
        """Make it durable; whether there was anything that others may want to know of."""
        ...

    def rollback(self) -> None: ...

    def savepoint(self) -> None: ...

    def release(self) -> None: ...

    def rollback_to_savepoint(self) -> None: ...

    def is_usable(self) -> bool:
        """Whether the transaction begun is still open and can go on."""
        ...

    def close(self) -> None: ...


class _Done(NamedTuple, Generic[T]):
    """What has come of a call that was alone in its transaction."""

    result: T | None = None
    error: BaseException | None = None
    wrote: bool = False


class _Outcome:
    """What to tell a caller once the batch is durable, or is not."""

    __slots__ = ("error", "future", "result")

    def __init__(self, future: Future[Any], result: Any = None, error: BaseException | None = None) -> None:
        self.future = future
        self.result = result
        self.error = error

    def tell(self) -> None:
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """One writing thread; several may take from the same lanes."""

    def __init__(
        self,
        name: str,
        lanes: Lanes,
        connect: Callable[[], Session],
        *,
        first: Session | None = None,
        translate: Callable[[Exception], Exception],
        turn: Turn,
        committed: Callable[[], None],
        longest_batch: int = LONGEST_BATCH,
    ) -> None:
        """`first` is used until it fails, then `connect` is asked for another.

        `translate` turns the engine's own errors into ours, and leaves others as they are. `committed` is called
        behind every commit, once those who waited for it are answered.
        """
        self._lanes = lanes
        self._connect = connect
        self._translate = translate
        self._turn = turn
        self._committed = committed
        self._longest_batch = longest_batch
        self._session = first
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def join(self, timeout: float) -> None:
        """Wait until the closed lanes are empty; give up after `timeout` seconds."""
        self._thread.join(timeout)

    def write_here(self, name: str, work: Callable[[Sql], T]) -> Future[T] | None:
        """Run a call in this thread, in the place of the writer's, whose only lanes these are; None when it must queue.

        If the turn cannot be had at once, the call is left to the writer's thread.
        """
        lane = self._lanes.hold(name)
        if lane is None:
            return None
        done: _Done[T] | None = None
        left: Future[T] | None = None
        try:
            if self._turn.is_had_at_once():
                try:
                    done = self._done_alone(work)
                finally:
                    self._turn.leave()
        except Exception:
            # The turn, as below: the writer's thread meets the same, and says so to all who wait.
            logger.debug("a turn that was to be had at once", exc_info=True)
        finally:
            if done is None:
                left = Future()
                lane.calls.appendleft(Call(work, left))
            goes_on = self._lanes.leave(lane)
        if done is not None and done.wrote:
            self._committed()
        while goes_on:
            self._serve(lane)
            goes_on = self._lanes.leave(lane)
        return left if done is None else Settled(done.result, done.error)

    def _done_alone(self, work: Callable[[Sql], T]) -> _Done[T] | None:
        """Run one call in a transaction of its own; None when that would have to wait, and nothing was done."""
        session = self._session
        try:
            if session is None or not session.begin(patient=False):
                return None
        except Exception as error:
            self._drop_session()
            return _Done(error=self._translate(error))
        sql = session.sql
        committing = False
        try:
            result = work(sql)
            if not session.is_usable():
                raise _lost_with(None)
            for finish in list(sql.before_commit.values()):
                finish(sql)
            committing = True
            return _Done(result, wrote=session.commit())
        except BaseException as error:  # one that wants to end the process is for whoever asks for the result
            self._undo(session, was_committing=committing)
            return _Done(error=self._translate(error) if isinstance(error, Exception) else error)
        finally:
            forget(sql)

    def _run(self) -> None:
        for lane in self._lanes.taken():
            self._serve(lane)
        self._drop_session()

    def _serve(self, lane: Lane) -> None:
        """Run what waits in the lane when its turn has come, answer those who wait, then tell those who watch."""
        outcomes: list[_Outcome] = []
        wrote = False
        try:
            with self._turn:
                wrote = self._batch(lane, outcomes)
        except Exception as error:
            # The turn itself could not be had, or given up (its lock file is gone, say).
            if not outcomes:
                self._refuse(lane, outcomes, error)
        for outcome in outcomes:
            outcome.tell()
        if wrote:
            self._committed()

    def _batch(self, lane: Lane, outcomes: list[_Outcome]) -> bool:
        """Run what waits in the lane in one transaction, and say whether it wrote anything.

        `outcomes` says what to tell whom.
        """
        try:
            session = self._begin(patient=True)
        except Exception as error:
            self._refuse(lane, outcomes, error)
            return False
        if session is None:
            return False
        committing = False
        try:
            self._run_calls(session, lane, outcomes)
            for finish in list(session.sql.before_commit.values()):
                finish(session.sql)
            committing = True
            return session.commit()
        except BaseException as error:  # an interrupt, too: it may strike whoever closes the store
            self._undo(session, was_committing=committing)
            translated = self._translate(error) if isinstance(error, Exception) else error
            for outcome in outcomes:
                outcome.error = outcome.error or translated
            return False
        finally:
            forget(session.sql)

    def _begin(self, *, patient: bool) -> Session | None:
        try:
            if self._session is None:
                self._session = self._connect()
            return self._session if self._session.begin(patient=patient) else None
        except BaseException:
            self._drop_session()
            raise

    def _run_calls(self, session: Session, lane: Lane, outcomes: list[_Outcome]) -> None:
        until = time.monotonic() + LONGEST_BATCH_SECONDS
        while (call := lane.next_call()) is not None:
            # Entered first: whatever happens to the batch, this caller gets an answer.
            outcome = _Outcome(call.future)
            outcomes.append(outcome)
            self._call(session, call, outcome, is_first=len(outcomes) == 1)
            if not session.is_usable():
                raise _lost_with(outcome.error)
            if len(outcomes) >= self._longest_batch or time.monotonic() > until:
                break

    def _call(self, session: Session, call: Call, outcome: _Outcome, *, is_first: bool) -> None:
        """Run one call in its own savepoint: it leaves all it wrote, or nothing."""
        sql = session.sql
        known = None if is_first else Known.of(sql)
        session.savepoint()
        try:
            outcome.result = call.work(sql)
            session.release()
        except BaseException as error:  # a call that wants to end the process must not end the writer
            outcome.error = self._translate(error) if isinstance(error, Exception) else error
            if session.is_usable():
                session.rollback_to_savepoint()
            if known is not None:
                known.restore(sql)
            else:  # before the first call of a transaction, nothing is known in it
                forget(sql)
                sql.learnt.clear()

    def _refuse(self, lane: Lane, outcomes: list[_Outcome], error: Exception) -> None:
        """The store cannot be had now: all who wait hear of it, rather than one after the other in vain."""
        translated = self._translate(error)
        while (call := lane.next_call()) is not None:
            outcomes.append(_Outcome(call.future, error=translated))

    def _undo(self, session: Session, *, was_committing: bool) -> None:
        """Take back the whole transaction. After a failed commit, nothing about the connection can be trusted."""
        session.sql.learnt.clear()
        try:
            session.rollback()
        except Exception:
            logger.debug("rolling back a failed batch", exc_info=True)
            was_committing = True
        if was_committing:
            self._drop_session()

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            try:
                session.close()
            except Exception:
                logger.debug("closing a failed connection", exc_info=True)


def _lost_with(error: BaseException | None) -> StorageError:
    """What the neighbours of a call are told when the whole transaction went down with it."""
    if isinstance(error, StorageError):
        return error
    return StorageError("the transaction was ended by the engine", recovery="Send the call again.")
