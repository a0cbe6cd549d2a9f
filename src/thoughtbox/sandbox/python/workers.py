"""The processes that snippets run in: one is kept ready, more come and go with those that want them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from pydantic_monty import MontyError, ResourceLimits

from thoughtbox.errors import SandboxUnavailable
from thoughtbox.sandbox.python.worker import Worker

MOST = 4
PATIENCE = 2.0
"""Seconds that a snippet waits for a process while all are busy."""
IDLE = 5.0
"""Seconds after which a process beyond the first is ended, if nobody wants it."""
HEAVY = 24 * 1024 * 1024
"""Bytes of memory above which a process is not kept: the engine does not give back what a snippet has used."""


class Workers:
    """Lends out workers, at most `MOST` at once. What is given back is made ready again behind the scenes."""

    def __init__(self, usual: ResourceLimits, want_upkeep: Callable[[], None]) -> None:
        """`usual` is what workers are made ready for; a snippet with other limits has to wait for that."""
        self._usual = usual
        self._want_upkeep = want_upkeep
        self._changed = threading.Condition(threading.Lock())
        self._ready: list[Worker] = []
        self._used: list[Worker] = []
        self._lent: set[Worker] = set()
        self._all = 0
        self._in_upkeep = 0
        self._last_taken = 0.0
        self._closed = False

    def take(self, limits: ResourceLimits, *, usual: bool = True) -> Worker:
        """A worker that is ready for a snippet with those limits; if they are usual, others are made ready for them."""
        if usual:
            self._usual = limits
        worker = self._free()
        try:
            worker = _made_ready(worker, limits)
        except SandboxUnavailable:
            with self._changed:
                self._all -= 1
                self._changed.notify_all()
            raise
        with self._changed:
            self._lent.add(worker)
            if self._closed:
                worker.kill()
        return worker

    def give_back(self, worker: Worker) -> None:
        with self._changed:
            self._lent.discard(worker)
            if not self._closed:
                self._used.append(worker)
            self._changed.notify_all()
        if self._closed:
            worker.end()
        else:
            self._want_upkeep()

    def warm(self) -> None:
        self.give_back(self.take(self._usual))

    def upkeep(self) -> float | None:
        """Make ready what was given back, and end what is not needed; in how many seconds to come again."""
        while (worker := self._given_back()) is not None:
            ready = _made_ready_again(worker, self._usual)
            with self._changed:
                self._in_upkeep -= 1
                if ready is None:
                    self._all -= 1
                elif not self._closed:
                    self._ready.append(ready)
                self._changed.notify_all()
            if self._closed and ready is not None:
                ready.end()
        for worker in self._not_needed():
            worker.end()
        return IDLE if len(self._ready) > 1 else None

    def close(self) -> None:
        """End all processes; what runs in one fails."""
        with self._changed:
            self._closed = True
            free = self._ready + self._used
            self._ready, self._used = [], []
            for worker in self._lent:
                worker.kill()
            self._changed.notify_all()
        for worker in free:
            worker.end()
        with self._changed:
            self._changed.wait_for(lambda: not self._lent, timeout=1)
            left = list(self._lent)
        for worker in left:
            worker.end()

    def _free(self) -> Worker | None:
        """A worker that nobody has, or None for one that is yet to be started."""
        until = time.monotonic() + PATIENCE
        with self._changed:
            while not self._closed:
                self._last_taken = time.monotonic()
                if self._ready:
                    return self._ready.pop()
                if self._used:
                    return self._used.pop()
                if self._all < MOST and not self._in_upkeep:
                    self._all += 1
                    return None
                if not self._changed.wait(until - time.monotonic()):
                    break
        raise SandboxUnavailable(
            f"all {MOST} Python sandboxes are busy" if not self._closed else "the Python sandbox is closed",
            recovery="Send the snippet again in a moment: nothing of it was run.",
        )

    def _given_back(self) -> Worker | None:
        with self._changed:
            if self._closed or not self._used:
                return None
            self._in_upkeep += 1
            return self._used.pop()

    def _not_needed(self) -> list[Worker]:
        with self._changed:
            if time.monotonic() - self._last_taken < IDLE:
                return []
            self._ready, extra = self._ready[:1], self._ready[1:]
            self._all -= len(extra)
            return extra


def _made_ready(worker: Worker | None, limits: ResourceLimits) -> Worker:
    """The worker, or a new one when there is none or something has happened to it."""
    failed: Exception | None = None
    for _ in range(2):
        try:
            if worker is None or worker.is_spent:
                worker = _replaced(worker)
            worker.make_ready(limits)
        except (MontyError, OSError, RuntimeError) as error:  # the last when there is no such program
            failed = error
            if worker is not None:
                worker.is_spent = True
        else:
            return worker
    if worker is not None:
        worker.end()
    raise SandboxUnavailable(
        f"no process could be started for a Python snippet: {failed}",
        recovery="Send the snippet again; `thoughtbox doctor` says whether the installation is whole.",
    ) from failed


def _made_ready_again(worker: Worker, usual: ResourceLimits) -> Worker | None:
    if worker.resident() > HEAVY:
        worker.is_spent = True
    try:
        return _made_ready(worker, usual)
    except SandboxUnavailable:
        return None


def _replaced(worker: Worker | None) -> Worker:
    if worker is not None:
        worker.end()
    return Worker()
