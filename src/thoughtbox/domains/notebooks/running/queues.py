"""Runs of one notebook one after the other, in the order sent; of several notebooks beside each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, NamedTuple, TypeVar

T = TypeVar("T")

MOST_AT_ONCE: Final = 16
"""Notebooks that run at the same time; others wait for their turn."""
END_SECONDS: Final = 1.5
DECIDE_SECONDS: Final = 2.0
"""For what was sent before to say which notebook it is about: it has only to look."""


class Line(NamedTuple):
    """What waits for each other."""

    workspace: str
    notebook: str | None
    """None while it is not known yet, as of the one that changed last: who comes behind it waits to hear which."""
    is_replay: bool = False
    """Replays wait for each other, and not for runs."""


def lines_of(workspace: str, notebook: str) -> list[Line]:
    """All that wait for each other in a notebook: runs, and replays."""
    return [Line(workspace, notebook), Line(workspace, notebook, is_replay=True)]


class Stoppable(Future[Any]):
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
    """A place in a line: those behind it wait until its work is done, or until it is let go without any."""

    def __init__(self, queues: Queues, line: Line) -> None:
        self._queues = queues
        self.line = line
        self.work: Stoppable | None = None
        self.is_begun = False

    def put(self, work: Callable[[], T], *, stop: Callable[[], object], owner: str | None = None) -> Future[T]:
        """Have work done once all that came before it is; `stop` ends it soon, from any thread.

        `owner` is the notebook, where it was not known when the place was taken.
        """
        return self._queues.put(self, Stoppable(work, stop), owner)

    def release(self) -> None:
        """Let those behind go on, if nothing was put here."""
        self._queues.release(self)


class Queues:
    """The lines of this process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tickets: list[Ticket] = []
        """In the order in which they were taken, until they are done."""
        self._running = 0
        self._is_closed = False

    def reserve(self, line: Line) -> Ticket:
        """A place behind all that were taken before it."""
        ticket = Ticket(self, line)
        with self._changed:
            if self._is_closed:
                raise RuntimeError("nothing is run any more: the process ends")
            self._tickets.append(ticket)
        return ticket

    def put(self, ticket: Ticket, work: Stoppable, owner: str | None) -> Stoppable:
        with self._changed:
            if self._is_closed:
                work.cancel()
                return work
            ticket.work = work
            ticket.line = ticket.line._replace(notebook=owner) if owner is not None else ticket.line
            self._begin_next()
            self._changed.notify_all()
        return work

    def release(self, ticket: Ticket) -> None:
        with self._changed:
            if ticket.work is None:
                self._leave(ticket)

    def is_waited_for(self, line: Line) -> bool:
        """Whether anything is run there, or is about to be."""
        with self._changed:
            return any(ticket.line == line for ticket in self._tickets)

    def first_of(self, lines: Sequence[Line]) -> list[Stoppable]:
        """What has its turn there, begun or about to be. Of places that were taken by now it waits to hear whose."""
        with self._changed:
            taken = [ticket for ticket in self._tickets if ticket.line.workspace in {line.workspace for line in lines}]
            self._changed.wait_for(lambda: all(map(self._is_decided, taken)), DECIDE_SECONDS)
            found = [next((ticket.work for ticket in self._tickets if ticket.line == line), None) for line in lines]
            return [work for work in found if work is not None]

    def _is_decided(self, ticket: Ticket) -> bool:
        return ticket.work is not None or ticket not in self._tickets

    def close(self) -> None:
        """Stop what runs, and give it a moment to say how it has ended; what waits is not begun."""
        with self._changed:
            self._is_closed = True
            begun = [ticket.work for ticket in self._tickets if ticket.is_begun]
            waiting = [ticket.work for ticket in self._tickets if not ticket.is_begun]
            self._tickets = [ticket for ticket in self._tickets if ticket.is_begun]
        for work in begun:
            if work is not None:
                work.stop()
        for work in waiting:
            if work is not None:
                work.cancel()
        with self._changed:
            self._changed.wait_for(lambda: not self._tickets, END_SECONDS)

    def _begin_next(self) -> None:
        """Begin whatever has its turn."""
        busy: set[Line] = set()
        undecided: set[str] = set()
        for ticket in list(self._tickets):
            line, must_wait = ticket.line, ticket.line in busy or ticket.line.workspace in undecided
            busy.add(line)
            if line.notebook is None:
                undecided.add(line.workspace)
            if must_wait or ticket.is_begun or ticket.work is None:
                continue
            if self._running >= MOST_AT_ONCE:
                return
            ticket.is_begun = True
            self._running += 1
            thread = threading.Thread(target=self._do, args=(ticket, ticket.work), name="notebook-run", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the machine has no more threads
                self._running -= 1
                self._tickets.remove(ticket)
                if ticket.work.set_running_or_notify_cancel():
                    ticket.work.set_exception(error)

    def _do(self, ticket: Ticket, work: Stoppable) -> None:
        try:
            work.do()
        finally:
            with self._changed:
                self._running -= 1
                self._leave(ticket)

    def _leave(self, ticket: Ticket) -> None:
        if ticket in self._tickets:
            self._tickets.remove(ticket)
        if not self._is_closed:
            self._begin_next()
        self._changed.notify_all()
