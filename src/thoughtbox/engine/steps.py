"""Long work as a row of short steps, so that others get their turn between two of them.

The work is a generator. It yields the future of each step (a read, a write, another
such row) and is sent what came of it. Nobody waits in a thread meanwhile: each step
begins where the one before it ended.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
Steps = Generator[Future[Any], Any, T]
"""Work that goes on from one future to the next: it yields each, and is sent what came of it."""


def in_steps(steps: Steps[T]) -> Future[T]:
    """Run steps one after the other, each in the thread that finished the one before, which must not be held up.

    Cancelling what is returned takes back the step that waits, and no other is begun.
    """
    outcome: Future[T] = Future()
    waiting: Future[Any] | None = None

    def go_on(done: Future[Any] | None) -> None:
        nonlocal waiting
        # In a loop: a row of a thousand steps that were all done at once is no thousand calls deep.
        while not outcome.cancelled():
            try:
                waiting = _after(steps, done)
            except StopIteration as end:
                if outcome.set_running_or_notify_cancel():
                    outcome.set_result(end.value)
                return
            except BaseException as error:
                if outcome.set_running_or_notify_cancel():
                    outcome.set_exception(error)
                return
            if outcome.cancelled():
                waiting.cancel()
            if not waiting.done():
                waiting.add_done_callback(go_on)
                return
            done = waiting
        steps.close()

    def take_back(_: Future[T]) -> None:
        if outcome.cancelled() and waiting is not None:
            waiting.cancel()

    outcome.add_done_callback(take_back)
    go_on(None)
    return outcome


def _after(steps: Steps[T], done: Future[Any] | None) -> Future[Any]:
    """The step that follows."""
    if done is None:
        return next(steps)
    try:
        result = done.result()
    except BaseException as error:
        return steps.throw(error)
    return steps.send(result)
