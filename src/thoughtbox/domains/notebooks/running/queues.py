"""Runs of one notebook one after the other, in the order sent; of several notebooks beside each other."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

T = TypeVar("T")

MOST_AT_ONCE: Final = 16
"""Notebooks that run at the same time; others wait for their turn."""
END_SECONDS: Final = 1.5


class _Work(Future[Any]):
    """What becomes of work. Who cancels it has it stopped, wherever it has come to."""

    def __init__(self, work: Callable[[], Any], stop: Callable[[], object]) -> None:
        super().__init__()
        self.work = work
        self.stop = stop

    def cancel(self) -> bool:
        self.stop()
        return super().cancel()

    def do(self) -> None:
        if not self.set_running_or_notify_cancel():
            return
        try:
            result = self.work()
        except BaseException as error:
            self.set_exception(error)
        else:
            self.set_result(result)


class Ticket:
    """A place in a queue: those behind it wait until its work is done, or until it is let go without any."""

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self.work: _Work | None = None
        self.is_free = False

    def put(self, work: Callable[[], T], *, stop: Callable[[], object]) -> Future[T]:
        """Have work done once all that came before it is; `stop` ends it soon, from any thread."""
        with self._changed:
            self.work = _Work(work, stop)
            self._changed.notify_all()
            return self.work

    def release(self) -> None:
        with self._changed:
            self.is_free = True
            self._changed.notify_all()

    def stop(self) -> None:
        self.is_free = True
        if self.work is not None:
            self.work.stop()


class Queues:
    """The queues of this process, one for each notebook that has something to run."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[Hashable, deque[Ticket]] = {}
        self._current: dict[Hashable, Ticket] = {}
        self._running = 0
        self._is_closed = False

    def reserve(self, notebook: Hashable) -> Ticket:
        """A place behind all that were taken before it."""
        ticket = Ticket(self._changed)
        with self._changed:
            if self._is_closed:
                raise RuntimeError("nothing is run any more: the process ends")
            queue = self._waiting.get(notebook)
            if queue is not None:
                queue.append(ticket)
                return ticket
            self._waiting[notebook] = deque([ticket])
        threading.Thread(target=self._work_off, args=(notebook,), name="notebook-run", daemon=True).start()
        return ticket

    def waiting(self, notebook: Hashable) -> bool:
        """Whether anything is run there, or is about to be."""
        with self._changed:
            return notebook in self._waiting

    def stop(self, notebook: Hashable) -> None:
        """End what runs there now, if anything does."""
        with self._changed:
            current = self._current.get(notebook)
        if current is not None and current.work is not None:
            current.work.stop()

    def close(self) -> None:
        """Stop what runs, and give it a moment to say how it has ended."""
        with self._changed:
            self._is_closed = True
            tickets = [*self._current.values(), *(ticket for queue in self._waiting.values() for ticket in queue)]
        for ticket in tickets:
            ticket.stop()
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting, END_SECONDS)

    def _work_off(self, notebook: Hashable) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._running < MOST_AT_ONCE or self._is_closed)
            self._running += 1
        try:
            while (ticket := self._next(notebook)) is not None:
                if ticket.work is not None:
                    ticket.work.do()
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _next(self, notebook: Hashable) -> Ticket | None:
        """The next place of a queue, once it is known what is to be done there; None when there is none."""
        with self._changed:
            self._current.pop(notebook, None)
            queue = self._waiting[notebook]
            if not queue:
                del self._waiting[notebook]
                return None
            ticket = self._current[notebook] = queue.popleft()
            self._changed.wait_for(lambda: ticket.work is not None or ticket.is_free)
            return ticket
