"""How a long read lets short calls through.

Threads of a process take turns at running Python, and one that never pauses makes every other wait
at each of its turns: a short call has a dozen. So a long read works in slices. When calls came in
during a slice, it rests for longer than it worked before it goes on; when none came, it does not
rest at all, and takes no longer than it would alone.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

SLICE_SECONDS = 0.002
REST_SECONDS = 0.006
TURN_SECONDS = 0.0005
"""How soon a thread that wants its turn gets it while a long read runs; Python's own measure is ten times as long."""


class Pace:
    """Shared by the calls of an engine and its one long read."""

    def __init__(self) -> None:
        self._calls = 0
        self._seen = 0
        self._slice_ends = 0.0

    def call(self) -> None:
        """A short call has come in. A count that gets lost between two threads does no harm."""
        self._calls += 1

    def give_way(self) -> None:
        """Called by the long read, often: rest if the slice is over and calls have come."""
        if time.monotonic() < self._slice_ends:
            return
        if self._seen != self._calls:
            self._seen = self._calls
            time.sleep(REST_SECONDS)
        self._slice_ends = time.monotonic() + SLICE_SECONDS


_turns = threading.Lock()
_usual_turn = 0.0
_long_reads = 0


@contextmanager
def short_turns() -> Generator[None]:
    """While a long read runs, threads take turns more often."""
    global _long_reads, _usual_turn  # as the interval is: the whole process has one
    with _turns:
        if not _long_reads:
            _usual_turn = sys.getswitchinterval()
            sys.setswitchinterval(min(TURN_SECONDS, _usual_turn))
        _long_reads += 1
    try:
        yield
    finally:
        with _turns:
            _long_reads -= 1
            if not _long_reads:
                sys.setswitchinterval(_usual_turn)
