"""The writer answers every caller, whatever its session does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, cast

import pytest

from tests.support.forks import PATIENCE
from thoughtbox.engine.lanes import Lanes
from thoughtbox.engine.protocol import Head, Sql
from thoughtbox.engine.turnstile import FreeTurn, Turn
from thoughtbox.engine.writer import Writer
from thoughtbox.errors import StorageBusy, StorageError

Work = Callable[[Sql], Any]


class Lost(Exception):
    """The connection is gone."""


class Refused(Exception):
    """A caller's own error."""


class Notes:
    """A transaction that keeps notes only."""

    def __init__(self) -> None:
        self.memo: dict[Any, Any] = {}
        self.learnt: dict[Any, Any] = {}
        self.before_commit: dict[str, Callable[[Sql], None]] = {}
        self.witness: dict[str, Head] = {}


class Session:
    """A session that fails at the verb it is told to, and remembers what it was asked."""

    def __init__(self, failing: str = "") -> None:
        self.sql = cast(Sql, Notes())
        self.failing = failing
        self.usable = True
        self.asked: list[str] = []

    def _ask(self, verb: str) -> None:
        self.asked.append(verb)
        if verb == self.failing:
            raise Lost(verb)

    def begin(self, *, patient: bool = True) -> bool:
        self._ask("begin")
        return True

    def commit(self) -> bool:
        self._ask("commit")
        return bool(self.sql.memo)

    def rollback(self) -> None:
        self._ask("rollback")

    def savepoint(self) -> None:
        self._ask("savepoint")

    def release(self) -> None:
        self._ask("release")

    def rollback_to_savepoint(self) -> None:
        self._ask("rollback to savepoint")

    def is_usable(self) -> bool:
        return self.usable

    def close(self) -> None:
        self._ask("close")


class NoTurn(FreeTurn):
    """A turn that is never had."""

    def __enter__(self) -> None:
        raise StorageBusy("somebody else's turn")


class Desk:
    """Lanes, and a writer that starts when it is told to, with one session after the other."""

    def __init__(self) -> None:
        self.lanes = Lanes()
        self.told = 0
        self.tell: Callable[[], None] = self._count
        self._writer: Writer | None = None

    def put(self, *works: Work) -> list[Future[Any]]:
        return [self.lanes.put("lane", work) for work in works]

    def start(self, *sessions: Session, turn: Turn | None = None, connected: bool = False) -> None:
        """`connected`: the first session is there from the beginning."""
        waiting = list(sessions)
        self._writer = Writer(
            "writer",
            self.lanes,
            lambda: waiting.pop(0),
            first=waiting.pop(0) if connected else None,
            translate=lambda error: StorageError("lost") if isinstance(error, Lost) else error,
            turn=turn or FreeTurn(),
            committed=self._tell,
        )

    def here(self, work: Work) -> Future[Any] | None:
        assert self._writer is not None
        return self._writer.write_here("lane", work)

    def _tell(self) -> None:
        self.tell()

    def _count(self) -> None:
        self.told += 1

    def close(self) -> None:
        self.lanes.close()
        if self._writer:
            self._writer.join(PATIENCE)


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.close()


def errors(futures: list[Future[Any]]) -> list[type[Any]]:
    return [type(future.exception(PATIENCE)) for future in futures]


def nothing(sql: Sql) -> None: ...


def refuse(sql: Sql) -> None:
    raise Refused


def note(sql: Sql) -> None:
    sql.memo["note"] = 1


@pytest.mark.parametrize("verb", ["begin", "savepoint", "release", "commit"])
def test_every_call_is_answered_at_whichever_verb_the_session_fails(desk: Desk, verb: str):
    calls = desk.put(nothing, nothing)
    desk.start(Session(verb), Session(verb))
    assert errors(calls) == [StorageError, StorageError]


@pytest.mark.parametrize("verb", ["begin", "commit"])
def test_a_session_that_failed_is_closed_and_another_is_taken(desk: Desk, verb: str):
    failing, sound = Session(verb), Session()
    desk.start(failing, sound)
    assert errors(desk.put(nothing)) == [StorageError]
    assert errors(desk.put(nothing)) == [type(None)]
    assert failing.asked[-1] == "close"
    assert "commit" in sound.asked


def test_all_who_wait_hear_at_once_that_the_store_cannot_be_had(desk: Desk):
    calls = desk.put(*[nothing] * 10)
    session = Session("begin")
    desk.start(session)
    assert errors(calls) == [StorageError] * 10
    assert session.asked == ["begin", "close"]


def test_a_call_that_cannot_be_undone_alone_is_undone_with_its_batch(desk: Desk):
    session = Session("rollback to savepoint")
    calls = desk.put(nothing, refuse)
    desk.start(session)
    assert errors(calls) == [StorageError, Refused]
    assert session.asked[-1] == "rollback"
    assert "commit" not in session.asked


def test_neighbours_do_not_get_the_error_of_a_call_that_took_the_transaction_with_it(desk: Desk):
    session = Session()

    def break_it(sql: Sql) -> None:
        session.usable = False
        raise Refused

    calls = desk.put(nothing, break_it)
    desk.start(session)
    assert errors(calls) == [StorageError, Refused]
    assert "commit" not in session.asked


def test_watchers_are_told_of_what_was_written_and_committed(desk: Desk):
    desk.start(Session(), Session("commit"))
    for work in (nothing, refuse, note):
        errors(desk.put(work))
    desk.close()
    assert desk.told == 1


def test_a_turn_that_cannot_be_had_is_an_error_for_the_caller(desk: Desk):
    desk.start(Session(), turn=NoTurn())
    for _ in range(2):
        assert errors(desk.put(nothing)) == [StorageBusy]


def test_a_call_cancelled_while_the_store_cannot_be_had_stays_cancelled(desk: Desk):
    first, second, third = desk.put(nothing, nothing, nothing)
    second.cancel()
    desk.start(Session("begin"))
    assert errors([first, third]) == [StorageError, StorageError]
    assert second.cancelled()


def test_calls_that_wait_when_the_lanes_close_are_still_written(desk: Desk):
    calls = desk.put(*[nothing] * 1000)
    desk.lanes.close()
    desk.start(Session())
    assert errors(calls) == [type(None)] * 1000


def test_calls_behind_the_closing_are_refused(desk: Desk):
    desk.start(Session())
    desk.close()
    assert errors(desk.put(nothing)) == [StorageError]


def test_several_writers_share_the_lanes_and_all_end_with_them(desk: Desk):
    calls = [desk.lanes.put(f"lane {number % 5}", nothing) for number in range(100)]
    writers = [
        Writer("writer", desk.lanes, Session, translate=lambda error: error, turn=FreeTurn(), committed=desk._tell)
        for _ in range(3)
    ]
    assert errors(calls) == [type(None)] * 100
    assert desk.lanes.busy == 0
    desk.lanes.close()
    for writer in writers:
        writer.join(PATIENCE)
        assert not writer._thread.is_alive()


def test_those_who_wait_are_answered_before_those_who_watch_are_told(desk: Desk):
    order: list[str] = []
    desk.tell = lambda: order.append("told")
    first, second = desk.put(note, note)
    first.add_done_callback(lambda _: order.append("first"))
    second.add_done_callback(lambda _: order.append("second"))
    desk.start(Session())
    desk.close()
    assert order == ["first", "second", "told"]


@pytest.mark.parametrize("verb", ["begin", "commit"])
def test_a_call_here_is_answered_at_whichever_verb_the_session_fails_and_the_next_one_goes_on(desk: Desk, verb: str):
    session = Session(verb)
    desk.start(session, Session(), connected=True)
    failed = desk.here(nothing)
    assert failed is not None
    assert errors([failed]) == [StorageError]
    session.failing = ""
    assert errors(desk.put(nothing)) == [type(None)]
    again = desk.here(nothing)
    assert again is not None
    assert errors([again]) == [type(None)]


def test_a_call_here_that_raises_is_undone_and_nobody_is_told(desk: Desk):
    session = Session()
    desk.start(session, connected=True)
    for work, outcome in ((refuse, Refused), (note, type(None))):
        called = desk.here(work)
        assert called is not None
        assert errors([called]) == [outcome]
    assert session.asked == ["begin", "rollback", "begin", "commit"]
    assert desk.told == 1


def test_an_interrupt_in_the_middle_of_a_call_here_is_the_callers_and_leaves_the_way_free(desk: Desk):
    def interrupted(sql: Sql) -> None:
        raise KeyboardInterrupt

    def interrupt_the_end(sql: Sql) -> None:
        sql.before_commit["end"] = interrupted

    desk.start(Session(), Session(), connected=True)
    for work in (interrupted, interrupt_the_end):
        called = desk.here(work)
        assert called is not None
        assert errors([called]) == [KeyboardInterrupt]
        assert errors(desk.put(nothing)) == [type(None)]


def test_a_turn_that_is_not_had_at_once_leaves_the_call_to_the_thread():
    class LaterTurn(FreeTurn):
        def is_had_at_once(self) -> bool:
            return False

    class BrokenTurn(FreeTurn):
        def is_had_at_once(self) -> bool:
            raise OSError("the lock file is gone")

    for turn in (LaterTurn(), BrokenTurn()):
        own = Desk()
        own.start(Session(), turn=turn, connected=True)
        called = own.here(note)
        assert called is not None
        assert errors([called]) == [type(None)]
        own.close()
        assert own.told == 1


def test_whoever_has_no_connection_yet_is_left_to_the_thread(desk: Desk):
    desk.start(Session())
    called = desk.here(lambda sql: threading.get_ident())
    assert called is not None
    assert called.result(PATIENCE) != threading.get_ident()


def test_who_writes_here_while_the_lanes_close_finishes_what_was_put_behind(desk: Desk):
    behind: list[Future[Any]] = []

    def close_meanwhile(sql: Sql) -> None:
        behind.extend(desk.put(nothing, refuse, nothing))
        desk.lanes.close()

    desk.start(Session(), connected=True)
    called = desk.here(close_meanwhile)
    assert called is not None
    assert errors([called, *behind]) == [type(None), type(None), Refused, type(None)]
    assert desk.here(nothing) is None
