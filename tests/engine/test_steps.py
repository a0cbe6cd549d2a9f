"""Long work in short steps: one after the other, and nobody waits in a thread."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from thoughtbox.engine.steps import in_steps


def test_steps_go_from_one_result_to_the_next():
    first: Future[int] = Future()
    second: Future[int] = Future()

    def steps():
        return (yield first) + (yield second)

    outcome = in_steps(steps())
    first.set_result(1)
    assert not outcome.done()
    second.set_result(2)
    assert outcome.result(0) == 3


def test_steps_can_be_done_before_they_are_asked_for():
    ready: Future[int] = Future()
    ready.set_result(1)

    def steps():
        total = 0
        for _ in range(10_000):
            total += yield ready
        return total

    assert in_steps(steps()).result(0) == 10_000


def test_steps_are_told_of_a_failure_and_may_go_on():
    failing: Future[int] = Future()
    failing.set_exception(ZeroDivisionError())

    def steps():
        try:
            yield failing
        except ZeroDivisionError:
            return "went on"

    assert in_steps(steps()).result(0) == "went on"


def test_steps_fail_when_they_do_not():
    def steps():
        yield from ()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        in_steps(steps()).result(0)


def test_steps_end_when_the_outcome_is_given_up():
    waits: Future[int] = Future()
    closed = threading.Event()

    def steps():
        try:
            yield waits
        finally:
            closed.set()

    outcome = in_steps(steps())

    assert outcome.cancel()
    assert waits.cancelled()
    assert closed.wait(0)


def test_steps_that_are_running_end_after_the_one_under_way():
    runs: Future[int] = Future()
    assert runs.set_running_or_notify_cancel()
    begun: list[str] = []

    def steps():
        yield runs
        begun.append("another")

    outcome = in_steps(steps())
    assert outcome.cancel()
    runs.set_result(1)

    assert begun == []
