"""How long the server waits for a worker before it ends it.

The worker keeps the limit of computing itself, to the millisecond. This is for when it does not: a snippet is ended
once its turn (from one answer to the next question) has lasted 80 ms longer than it may compute, unless its process has
had less of the machine than that. Then it gets up to a second.
"""

from __future__ import annotations

import time
from typing import Final

from thoughtbox.errors import LimitExceeded
from thoughtbox.sandbox.exceeded import Deadline, exceeded
from thoughtbox.sandbox.javascript.process import WorkerProcess
from thoughtbox.sandbox.javascript.refusals import not_scheduled
from thoughtbox.sandbox.protocol import Limits

GRACE_SECONDS: Final = 0.08
OVERRUN_SECONDS: Final = 0.02
"""CPU time beyond its limit from which on a worker has failed to end its snippet."""
LONGEST_TURN_SECONDS: Final = 1.0
BEGIN_SECONDS: Final = 10.0
"""For a worker to take a snippet in: it may have just been started."""


class Watch:
    """The time of one run."""

    def __init__(self, limits: Limits, deadline: Deadline, worker: WorkerProcess) -> None:
        self._limits = limits
        self._deadline = deadline
        self._worker = worker
        self._cpu_left = limits.cpu_ms / 1000
        self._is_computing = False
        self._turn = self._due = 0.0
        self._cpu_before: float | None = None

    def run_begins(self) -> None:
        """The snippet is given to the worker."""
        self._is_computing = False
        self._due = time.monotonic() + BEGIN_SECONDS

    def turn_begins(self) -> None:
        self._is_computing = True
        self._turn = time.monotonic()
        self._due = self._turn + self._cpu_left + GRACE_SECONDS
        self._cpu_before = self._worker.cpu_seconds()

    def turn_ended(self, cpu_used: float) -> None:
        """The worker has said how long the snippet has computed so far."""
        self._cpu_left = max(0.0, self._limits.cpu_ms / 1000 - cpu_used)

    @property
    def patience(self) -> float:
        """Seconds until the next look at it."""
        return max(0.0, min(self._due, self._deadline.moment) - time.monotonic())

    def over(self) -> LimitExceeded | None:
        """Why the worker has to be ended now, if it has; else there is new patience."""
        if (passed := self._deadline.passed()) is not None:
            return passed
        now = time.monotonic()
        if now < self._due:
            return None
        if not self._is_computing:
            return not_scheduled(self._limits, BEGIN_SECONDS)
        missing = self._missing()
        if missing <= 0:
            return exceeded("cpu", self._limits)
        longest = max(LONGEST_TURN_SECONDS, 2 * self._cpu_left)
        if now >= self._turn + longest:
            return not_scheduled(self._limits, longest)
        self._due = min(now + missing, self._turn + longest)
        return None

    def _missing(self) -> float:
        """Seconds of the machine that the worker has not had yet."""
        now = self._worker.cpu_seconds()
        if now is None or self._cpu_before is None:
            return 0.0
        return self._cpu_left + OVERRUN_SECONDS - (now - self._cpu_before)
