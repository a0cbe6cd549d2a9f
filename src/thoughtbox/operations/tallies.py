"""Tallies: how often things were looked at. Reads count in memory, and somebody writes it down later.

A read writes nothing, so what it counts is collected here, by workspace, and written as one record from time to time,
in a process that serves for long, and when it ends. What a process that dies had counted is lost: no answer is made of
it but the count itself.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoughtbox.operations.tx import Tx

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 10.0
LAST_SECONDS = 0.3
"""How long writing it down may take, and how long at the end."""

REST_SECONDS = 30.0
"""Time from the first count to when it is written down."""

MOST_KEYS = 100_000
"""Things that are counted at once; what comes on top is not, until these are written down."""

Counts = Mapping[int, int]
Write = Callable[["Tx", Counts], None]
"""Writes down how often each thing was counted, as one record."""

Do = Callable[[str, Callable[["Tx"], None], str], Future[None]]
"""Does something in a transaction of a workspace, and says what it is called there."""


class Tallies:
    """What was counted and is not written down yet. Nothing is, before `keep` was called."""

    def __init__(self, writes: Mapping[str, Write], do: Do) -> None:
        """`writes` are those that rooms have declared, by the name of the tally."""
        self._writes = writes
        self._do = do
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], Counter[int]] = {}
        self._keys = 0
        self._timer: threading.Timer | None = None
        self._is_kept = False

    def keep(self) -> None:
        """Count from now on."""
        self._is_kept = True

    def count(self, workspace: str, name: str, key: int) -> None:
        if not self._is_kept:
            return
        with self._lock:
            counter = self._counts.setdefault((workspace, name), Counter())
            if key not in counter:
                if self._keys >= MOST_KEYS:
                    return
                self._keys += 1
            counter[key] += 1
            if self._timer is None:
                self._timer = threading.Timer(REST_SECONDS, self.flush)
                self._timer.daemon = True
                self._timer.start()

    def flush(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Write down what was counted. What cannot be written in time is given up: the next count begins anew."""
        with self._lock:
            counts, self._counts, self._keys = self._counts, {}, 0
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        written = [
            (workspace, name, self._do(workspace, partial(_written, self._writes[name], counter), name))
            for (workspace, name), counter in sorted(counts.items())
        ]
        for workspace, name, done in written:
            try:
                done.result(seconds)
            except Exception as error:
                done.cancel()
                logger.debug("what was counted as %s in %s is lost: %s", name, workspace, error)

    def close(self) -> None:
        """Write down what there is, and count no more."""
        self._is_kept = False
        self.flush(LAST_SECONDS)


def _written(write: Write, counts: Counts, tx: Tx) -> None:
    write(tx, counts)
