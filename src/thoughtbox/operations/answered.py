"""What callers were answered lately, in this process: reads leave no record, and some rooms must know of them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

MOST = 10_000
"""Callers and operations that are kept in mind."""


class Answer(NamedTuple):
    """That an operation was answered."""

    seq: int | None
    """The last record that it left, if any; it may have come to nothing, if its transaction did."""
    counted_for: str | None = None
    """What it was counted for, where it counts once."""


class _Key(NamedTuple):
    workspace: str
    agent: str
    operation: str


class Answered:
    """The last answer to each caller, by operation; of many, those that were longest ago are forgotten."""

    def __init__(self) -> None:
        self._last: OrderedDict[_Key, Answer] = OrderedDict()
        self._lock = Lock()

    def note(self, workspace: str, agent: str, operation: str, seq: int | None) -> None:
        key = _Key(workspace, agent, operation)
        with self._lock:
            self._last[key] = Answer(seq)
            self._last.move_to_end(key)
            if len(self._last) > MOST:
                self._last.popitem(last=False)

    def last(self, workspace: str, agent: str, operation: str) -> Answer | None:
        return self._last.get(_Key(workspace, agent, operation))

    def count(self, workspace: str, agent: str, operation: str, what: str) -> None:
        """Count the last answer for something: it is then of no account to anything else."""
        key = _Key(workspace, agent, operation)
        with self._lock:
            if key in self._last:
                self._last[key] = self._last[key]._replace(counted_for=what)

    def forget(self, workspace: str) -> None:
        with self._lock:
            for key in [key for key in self._last if key.workspace == workspace]:
                del self._last[key]
